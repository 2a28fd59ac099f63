package io.delayqueue.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.delayqueue.record.CallToken;
import io.delayqueue.test.redis.RespClient;

import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Runs the real scripts, but stops each with an error after a number of writes: Redis
 * keeps the earlier writes.
 */
final class StoppingTemplate extends RedisTemplate<String, byte[]> {

	/**
	 * Replaces the comment below the shebang, so that line numbers stay the same.
	 */
	private static final String WRAPPER = """
			local redis = (function(real, left) \
			local writes = {%1$s} \
			real.pcall('DEL', '%2$s') \
			local function run(call, name, ...) \
			if not writes[name] then return call(name, ...) end \
			if left == 0 then error('STOPPED') end \
			left = left - 1 \
			local reply = call(name, ...) \
			real.call('RPUSH', '%2$s', name, (...), tostring(reply)) \
			return reply \
			end \
			return setmetatable({ \
			call = function(...) return run(real.call, ...) end, \
			pcall = function(...) return run(real.pcall, ...) end \
			}, {__index = real}) \
			end)(redis, tonumber(table.remove(ARGV)));\
			""".stripTrailing();

	private final Map<String, RedisScript<?>> stopping = new ConcurrentHashMap<>();

	private final String written = "written-" + CallToken.next();

	private final RespClient redis;

	/** Changes the text of each file of the scripts. */
	private final BinaryOperator<String> edit;

	private final String wrapper;

	private int writes = Integer.MAX_VALUE;

	StoppingTemplate(RespClient redis, BinaryOperator<String> edit) {
		this.redis = redis;
		this.edit = edit;
		this.wrapper = WRAPPER.formatted(writeCommands(redis).stream()
			.map((name) -> name.toUpperCase(Locale.ROOT) + " = 1")
			.collect(Collectors.joining(", ")), this.written);
	}

	/** Each script stops before its next write after this number of them. */
	void stopAfter(int writes) {
		this.writes = writes;
	}

	void resume() {
		this.writes = Integer.MAX_VALUE;
	}

	/**
	 * The writes of the last script in order, command and key, without those that removed
	 * nothing.
	 */
	List<String> written() {
		List<?> written = PartitionDump.list(this.redis.call("LRANGE", this.written, "0", "-1"));
		this.redis.call("DEL", this.written);
		List<String> effective = new ArrayList<>();
		for (int i = 0; i < written.size(); i += 3) {
			String command = written.get(i).toString();
			String key = written.get(i + 1).toString();
			boolean removes = Set.of("ZREM", "HDEL", "XDEL", "XTRIM", "XACK").contains(command);
			if (!removes || !"0".equals(written.get(i + 2))) {
				effective.add(command + " " + key.substring(key.lastIndexOf(':') + 1));
			}
		}
		return effective;
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
		StoreScript edited = Stream.of(StoreScript.values())
			.filter((one) -> one.script().equals(script))
			.findFirst()
			.orElseThrow();
		String[] lines = ScriptText.of(edited, this.edit).text().split("\n", 2);
		return RedisScript.of(lines[0] + "\n" + this.wrapper + lines[1].substring(lines[1].indexOf('\n')),
				script.getResultType());
	}

	/** The commands of the scripts that Redis marks as writing. */
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
