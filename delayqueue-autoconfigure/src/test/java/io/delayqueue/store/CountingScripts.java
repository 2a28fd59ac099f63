package io.delayqueue.store;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.test.redis.RespClient;

import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Runs the real scripts one by one, and counts what they ask Redis for. That is the same
 * on each server and each machine, and bounds how long a script keeps others waiting.
 */
public final class CountingScripts extends DefaultScriptExecutor<String> {

	/**
	 * Takes the place of the comment below the shebang: line numbers stay as they are.
	 * What a LIMIT skips is looked at too.
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

	private final String counters = "cost-" + CallToken.next();

	private final Map<String, RedisScript<?>> counting = new ConcurrentHashMap<>();

	private final RespClient redis;

	private Cost total = Cost.NONE;

	private Cost most = Cost.NONE;

	private CountingScripts(RedisTemplate<String, byte[]> template, RespClient redis) {
		super(template);
		this.redis = redis;
	}

	/**
	 * Counts what the scripts of a template ask for.
	 * @param template runs them
	 * @param redis the same server
	 * @return what has been counted
	 */
	public static CountingScripts of(RedisTemplate<String, byte[]> template, RespClient redis) {
		CountingScripts scripts = new CountingScripts(template, redis);
		template.setScriptExecutor(scripts);
		return scripts;
	}

	/**
	 * What scripts have asked for.
	 *
	 * @param commands how many commands they ran
	 * @param values how many values the lists had that they got, and what they skipped
	 * @param bytes how long all texts were that they got
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

	/** The cost of the scripts since this was asked last. */
	public synchronized Cost cost() {
		Cost cost = this.total;
		this.total = Cost.NONE;
		this.most = Cost.NONE;
		return cost;
	}

	/** The most that one script has cost since the cost of all was asked last. */
	public synchronized Cost most() {
		return this.most;
	}

	private long counter(String name) {
		String value = this.redis.text("HGET", this.counters, name);
		return value.isEmpty() ? 0 : Long.parseLong(value);
	}

	@Override
	@SuppressWarnings("unchecked")
	public synchronized <T> T execute(RedisScript<T> script, RedisSerializer<?> argsSerializer,
			RedisSerializer<T> resultSerializer, List<String> keys, Object... args) {
		RedisScript<?> counted = this.counting.computeIfAbsent(script.getSha1(), (sha) -> counting(script));
		T reply = super.execute((RedisScript<T>) counted, argsSerializer, resultSerializer, keys, args);
		Cost cost = new Cost(counter("commands"), counter("values"), counter("bytes"));
		this.redis.call("DEL", this.counters);
		this.total = this.total.plus(cost);
		this.most = this.most.orMore(cost);
		return reply;
	}

	/** A script that writes nothing of its own may write what it has cost. */
	private RedisScript<?> counting(RedisScript<?> script) {
		String[] lines = script.getScriptAsString().split("\n", 2);
		return RedisScript.of(lines[0].replace(" flags=no-writes", "") + "\n" + WRAPPER.formatted(this.counters)
				+ lines[1].substring(lines[1].indexOf('\n')), script.getResultType());
	}

}
