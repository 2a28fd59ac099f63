package io.delayqueue.test.fault;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.test.redis.RespClient;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Runs the real Lua scripts one after the other, and counts the commands that they run
 * and the values that they read. The counts are the same on each server and each machine,
 * and show how long a script may block other callers.
 */
public final class CountingScripts extends DefaultScriptExecutor<String> {

	/**
	 * The Lua code that counts. It replaces the comment in the second line of a script,
	 * so that line numbers stay the same. Values that a LIMIT skips are counted, too.
	 */
	private static final String WRAPPER = """
			local redis = (function(real) \
			local function size(reply) \
			if type(reply) ~= 'table' then return 0, type(reply) == 'string' and #reply or 0 end \
			local values, bytes = #reply, 0 \
			for _, one in ipairs(reply) do \
			local more, length = size(one) values, bytes = values + more, bytes + length end \
			return values, bytes \
			end \
			local function count(reply, words) \
			local values, bytes = size(reply) \
			for i = 1, #words do if words[i] == 'LIMIT' then values = values + tonumber(words[i + 1]) end end \
			real.call('HINCRBY', '%1$s', 'commands', 1) \
			real.call('HINCRBY', '%1$s', 'values', values) \
			real.call('HINCRBY', '%1$s', 'bytes', bytes) \
			return reply \
			end \
			return setmetatable({ \
			call = function(...) return count(real.call(...), {...}) end, \
			pcall = function(...) return count(real.pcall(...), {...}) end \
			}, {__index = real}) \
			end)(redis);\
			""".stripTrailing();

	private final String counters = "cost-" + UUID.randomUUID();

	private final Map<String, RedisScript<?>> counting = new ConcurrentHashMap<>();

	private final RespClient redis;

	private Cost total = Cost.NONE;

	private Cost most = Cost.NONE;

	private CountingScripts(RedisTemplate<String, byte[]> template, RespClient redis) {
		super(template);
		this.redis = redis;
	}

	/**
	 * Counts the cost of the scripts that a template runs.
	 * @param template the template that runs the scripts
	 * @param redis a client of the same server
	 * @return the counter
	 */
	public static CountingScripts of(RedisTemplate<String, byte[]> template, RespClient redis) {
		CountingScripts scripts = new CountingScripts(template, redis);
		template.setScriptExecutor(scripts);
		return scripts;
	}

	/**
	 * The cost of runs of scripts.
	 *
	 * @param commands the number of commands that the scripts ran
	 * @param values the number of values in the replies to these commands, plus the
	 * number of values that a LIMIT skipped
	 * @param bytes the total length of the texts in the replies to these commands
	 */
	public record Cost(long commands, long values, long bytes) {

		static final Cost NONE = new Cost(0, 0, 0);

		Cost plus(Cost more) {
			return new Cost(this.commands + more.commands, this.values + more.values, this.bytes + more.bytes);
		}

		private Cost orMore(Cost other) {
			return new Cost(Math.max(this.commands, other.commands), Math.max(this.values, other.values),
					Math.max(this.bytes, other.bytes));
		}

	}

	/**
	 * Returns the cost of all runs of scripts since the last call of this method, and
	 * resets the counts.
	 * @return the sum of the costs
	 */
	public synchronized Cost cost() {
		Cost cost = this.total;
		this.total = Cost.NONE;
		this.most = Cost.NONE;
		return cost;
	}

	/**
	 * Returns the highest cost of a single run of a script since the last call of
	 * {@link #cost}.
	 * @return the highest number of commands, of values and of bytes
	 */
	public synchronized Cost most() {
		return this.most;
	}

	private long counter(String name) {
		String value = this.redis.text("HGET", this.counters, name);
		return value.isEmpty() ? 0 : Long.parseLong(value);
	}

	@Override
	@SuppressWarnings("unchecked")
	public synchronized <T extends @Nullable Object> T execute(RedisScript<T> script, RedisSerializer<?> argsSerializer,
			RedisSerializer<T> resultSerializer, List<String> keys, Object... args) {
		RedisScript<?> counted = this.counting.computeIfAbsent(script.getSha1(), (sha) -> counting(script));
		T reply = super.execute((RedisScript<T>) counted, argsSerializer, resultSerializer, keys, args);
		Cost cost = new Cost(counter("commands"), counter("values"), counter("bytes"));
		this.redis.call("DEL", this.counters);
		this.total = this.total.plus(cost);
		this.most = this.most.orMore(cost);
		return reply;
	}

	/**
	 * Inserts the code that counts into a script. A read-only script loses its flag,
	 * because the inserted code writes the counts.
	 */
	private RedisScript<?> counting(RedisScript<?> script) {
		String[] lines = script.getScriptAsString().split("\n", 2);
		return RedisScript.of(lines[0].replace(" flags=no-writes", "") + "\n" + WRAPPER.formatted(this.counters)
				+ lines[1].substring(lines[1].indexOf('\n')), Objects.requireNonNull(script.getResultType()));
	}

}
