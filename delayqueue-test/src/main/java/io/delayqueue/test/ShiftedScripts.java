package io.delayqueue.test;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.core.script.ScriptExecutor;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Runs Lua scripts in which the command {@code TIME} returns a time ahead of the clock of
 * Redis. The engine reads the time only through scripts, and scripts of the application
 * get the shifted time, too. Only the script that detects dead consumers gets the time of
 * Redis, because Redis measures the idle times of consumers with its own time, and a
 * shifted time would look like a clock jump.
 */
final class ShiftedScripts<K> implements ScriptExecutor<K> {

	/**
	 * The Lua code that is inserted at the beginning of a script, after a first line with
	 * {@code #!}. The inserted code removes the last argument, the time shift in ms, from
	 * {@code ARGV}.
	 */
	private static final String SHIFT = """
			local shift = tonumber(table.remove(ARGV))
			local server = redis
			local function ahead(time)
			  local micros = tonumber(time[2]) + shift % 1000 * 1000
			  local seconds = tonumber(time[1]) + math.floor(shift / 1000) + math.floor(micros / 1000000)
			  return { string.format('%.0f', seconds), string.format('%.0f', micros % 1000000) }
			end
			local redis = setmetatable({
			  call = function(command, ...)
			    local reply = server.call(command, ...)
			    return string.upper(command) == 'TIME' and ahead(reply) or reply
			  end,
			  pcall = function(command, ...)
			    local reply = server.pcall(command, ...)
			    return string.upper(command) == 'TIME' and not reply.err and ahead(reply) or reply
			  end,
			}, { __index = server })
			""";

	private static final Pattern TIME = Pattern.compile("'TIME'|\"TIME\"", Pattern.CASE_INSENSITIVE);

	/**
	 * Text by which this class recognises the script that detects dead consumers: a reply
	 * that no other script contains.
	 */
	private static final String COMPARES_CLOCKS = "'jumped'";

	private final RedisTemplate<K, ?> template;

	private final ScriptExecutor<K> scripts;

	private final TimeShift shift;

	private final Map<String, RedisScript<?>> shifted = new ConcurrentHashMap<>();

	ShiftedScripts(RedisTemplate<K, ?> template, TimeShift shift) {
		this.template = template;
		this.scripts = new DefaultScriptExecutor<>(template);
		this.shift = shift;
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T extends @Nullable Object> T execute(RedisScript<T> script, List<K> keys, Object... arguments) {
		RedisSerializer<T> values = (RedisSerializer<T>) this.template.getValueSerializer();
		return execute(script, values, values, keys, arguments);
	}

	@Override
	public <T extends @Nullable Object> T execute(RedisScript<T> script, RedisSerializer<?> argumentsSerializer,
			RedisSerializer<T> resultSerializer, List<K> keys, Object... arguments) {
		if (!readsTime(script)) {
			return this.scripts.execute(script, argumentsSerializer, resultSerializer, keys, arguments);
		}
		Object[] all = Arrays.copyOf(arguments, arguments.length + 1);
		for (int i = 0; i < arguments.length; i++) {
			all[i] = bytes(argumentsSerializer, arguments[i]);
		}
		all[arguments.length] = Long.toString(this.shift.millis()).getBytes(StandardCharsets.US_ASCII);
		return this.scripts.execute(shifted(script), RedisSerializer.byteArray(), resultSerializer, keys, all);
	}

	@SuppressWarnings("unchecked")
	private static byte[] bytes(RedisSerializer<?> serializer, Object argument) {
		if (argument instanceof byte[] raw) {
			return raw;
		}
		byte[] bytes = ((RedisSerializer<Object>) serializer).serialize(argument);
		return (bytes != null) ? bytes : new byte[0];
	}

	private static boolean readsTime(RedisScript<?> script) {
		String text = script.getScriptAsString();
		return TIME.matcher(text).find() && !text.contains(COMPARES_CLOCKS);
	}

	@SuppressWarnings("unchecked")
	private <T extends @Nullable Object> RedisScript<T> shifted(RedisScript<T> script) {
		return (RedisScript<T>) this.shifted.computeIfAbsent(script.getSha1(), (sha) -> {
			String text = script.getScriptAsString();
			int body = text.startsWith("#!") ? text.indexOf('\n') + 1 : 0;
			String ahead = text.substring(0, body) + SHIFT + text.substring(body);
			Class<T> result = script.getResultType();
			return (result != null) ? RedisScript.of(ahead, result) : RedisScript.of(ahead);
		});
	}

}
