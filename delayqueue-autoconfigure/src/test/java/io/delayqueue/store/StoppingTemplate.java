package io.delayqueue.store;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import io.delayqueue.test.redis.RespClient;

import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Runs the real scripts, but lets each stop with an error after a number of writes: Redis
 * keeps what was written by then.
 */
final class StoppingTemplate extends RedisTemplate<String, byte[]> {

	/**
	 * Takes the place of the comment below the shebang: line numbers stay as they are.
	 */
	private static final String WRAPPER = """
			local redis = (function(real, left) \
			local writes = {%s} \
			local function count(name) \
			if writes[name] then \
			if left == 0 then error('STOPPED') end \
			left = left - 1 \
			end \
			end \
			return setmetatable({ \
			call = function(name, ...) count(name) return real.call(name, ...) end, \
			pcall = function(name, ...) count(name) return real.pcall(name, ...) end \
			}, {__index = real}) \
			end)(redis, tonumber(table.remove(ARGV)));\
			""".stripTrailing();

	private final Map<String, RedisScript<?>> stopping = new ConcurrentHashMap<>();

	private final String wrapper;

	private int writes = Integer.MAX_VALUE;

	StoppingTemplate(RespClient redis) {
		this.wrapper = WRAPPER.formatted(writeCommands(redis).stream()
			.map((name) -> name.toUpperCase(Locale.ROOT) + " = 1")
			.collect(Collectors.joining(", ")));
	}

	/** Each script stops before its next write after this number of them. */
	void stopAfter(int writes) {
		this.writes = writes;
	}

	void goOn() {
		this.writes = Integer.MAX_VALUE;
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> T execute(RedisScript<T> script, RedisSerializer<?> argsSerializer, RedisSerializer<T> resultSerializer,
			List<String> keys, Object... args) {
		Object[] more = Arrays.copyOf(args, args.length + 1);
		more[args.length] = Reply.bytes(this.writes);
		RedisScript<?> stopping = this.stopping.computeIfAbsent(script.getSha1(), (sha) -> stopping(script));
		return super.execute((RedisScript<T>) stopping, argsSerializer, resultSerializer, keys, more);
	}

	private RedisScript<?> stopping(RedisScript<?> script) {
		String[] lines = script.getScriptAsString().split("\n", 2);
		return RedisScript.of(lines[0] + "\n" + this.wrapper + lines[1].substring(lines[1].indexOf('\n')),
				script.getResultType());
	}

	/** The commands that our scripts use and that Redis itself calls writing. */
	private static Set<String> writeCommands(RespClient redis) {
		Set<String> used = new TreeSet<>();
		for (StoreScript script : StoreScript.values()) {
			used.addAll(ScriptText.of(script).commands());
		}
		used.removeIf((name) -> {
			List<?> info = PartitionDump.list(PartitionDump.list(redis.call("COMMAND", "INFO", name)).get(0));
			return !PartitionDump.list(info.get(2)).contains("write");
		});
		return used;
	}

}
