package io.delayqueue.store;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.test.redis.RespClient;

import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Runs the real scripts, and counts what they ask Redis for.
 */
final class CountingTemplate extends RedisTemplate<String, byte[]> {

	/**
	 * Takes the place of the comment below the shebang: line numbers stay as they are.
	 */
	private static final String WRAPPER = """
			local redis = (function(real) \
			local function count(reply) \
			real.call('HINCRBY', '%1$s', 'commands', 1) \
			if type(reply) == 'table' and #reply > 0 then real.call('HINCRBY', '%1$s', 'values', #reply) end \
			return reply \
			end \
			return setmetatable({ \
			call = function(...) return count(real.call(...)) end, \
			pcall = function(...) return count(real.pcall(...)) end \
			}, {__index = real}) \
			end)(redis);\
			""".stripTrailing();

	private final String counters = "cost-" + CallToken.next();

	private final Map<String, RedisScript<?>> counting = new ConcurrentHashMap<>();

	private final RespClient redis;

	CountingTemplate(RespClient redis) {
		this.redis = redis;
	}

	/**
	 * What scripts have asked for.
	 *
	 * @param commands how many commands they ran
	 * @param values how many values the replies to these had
	 */
	record Cost(long commands, long values) {
	}

	/** The cost of the scripts since this was asked last. */
	Cost cost() {
		Cost cost = new Cost(counter("commands"), counter("values"));
		this.redis.call("DEL", this.counters);
		return cost;
	}

	private long counter(String name) {
		String value = this.redis.text("HGET", this.counters, name);
		return value.isEmpty() ? 0 : Long.parseLong(value);
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> T execute(RedisScript<T> script, RedisSerializer<?> argsSerializer, RedisSerializer<T> resultSerializer,
			List<String> keys, Object... args) {
		RedisScript<?> counted = this.counting.computeIfAbsent(script.getSha1(), (sha) -> counting(script));
		return super.execute((RedisScript<T>) counted, argsSerializer, resultSerializer, keys, args);
	}

	private RedisScript<?> counting(RedisScript<?> script) {
		String[] lines = script.getScriptAsString().split("\n", 2);
		return RedisScript.of(
				lines[0] + "\n" + WRAPPER.formatted(this.counters) + lines[1].substring(lines[1].indexOf('\n')),
				script.getResultType());
	}

}
