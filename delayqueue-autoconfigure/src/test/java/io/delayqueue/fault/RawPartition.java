package io.delayqueue.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.delayqueue.test.redis.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * A partition as it lies in Redis: written by hand as another version would write it, and
 * read without asking the library.
 */
final class RawPartition {

	private final RedisServer redis;

	private final String keys;

	/**
	 * Creates the partition.
	 * @param keys what its keys begin with
	 */
	RawPartition(RedisServer redis, String keys) {
		this.redis = redis;
		this.keys = keys;
	}

	/** One of the partition's keys. */
	String key(String name) {
		return this.keys + name;
	}

	/** Sends a command about one of the partition's keys. */
	@Nullable Object call(String name, String key, String... arguments) {
		List<String> words = new ArrayList<>(List.of(name, this.keys + key));
		words.addAll(List.of(arguments));
		return this.redis.call(words.toArray(String[]::new));
	}

	/** As another process would have stored it, due long ago. */
	void store(String id, String record) {
		call("ZADD", "scheduled", "1", id);
		call("HSET", "messages", id, record);
	}

	/**
	 * What delivers a scheduled message, in one step, so that nobody else can take it.
	 */
	String[] delivery(String id, String consumer) {
		return new String[] { "EVAL", "local e = redis.call('XADD', KEYS[1], '*', 'id', ARGV[1]);"
				+ "redis.call('HSET', KEYS[2], ARGV[1], e); redis.call('ZREM', KEYS[3], ARGV[1]);"
				+ "redis.call('XREADGROUP', 'GROUP', 'consumers', ARGV[2], 'COUNT', 1, 'STREAMS', KEYS[1], '>')", "3",
				this.keys + "ready", this.keys + "entries", this.keys + "scheduled", id, consumer };
	}

	/** The keys are of that version of the layout from now on. */
	void layOut(int version) {
		call("HSET", "control", "layout", String.valueOf(version));
	}

	/** All that may not change, in words. */
	String content() {
		List<@Nullable Object> all = new ArrayList<>();
		all.add(call("HGETALL", "messages"));
		all.add(call("ZRANGE", "scheduled", "0", "-1", "WITHSCORES"));
		all.add(call("HGETALL", "entries"));
		all.add(call("XRANGE", "ready", "-", "+"));
		all.add(call("XPENDING", "ready", "consumers"));
		all.add(call("HGETALL", "control"));
		return String.valueOf(all);
	}

	/** How many entries the stream has ever had. */
	long delivered() {
		List<?> about = (List<?>) Objects.requireNonNull(this.redis.call("XINFO", "STREAM", this.keys + "ready"));
		return (Long) about.get(about.indexOf("entries-added") + 1);
	}

	long entries() {
		return (Long) Objects.requireNonNull(call("XLEN", "ready"));
	}

	long pending() {
		List<?> summary = (List<?>) Objects.requireNonNull(call("XPENDING", "ready", "consumers"));
		return (Long) summary.get(0);
	}

	/** The entry that is pending, its consumer, for how long it has been idle (ms). */
	List<?> lease() {
		List<?> leases = (List<?>) Objects.requireNonNull(call("XPENDING", "ready", "consumers", "-", "+", "1"));
		return (List<?>) leases.get(0);
	}

	/** When a message is due, ms since 1970. */
	long scheduled(String id) {
		return Long.parseLong(String.valueOf(call("ZSCORE", "scheduled", id)));
	}

	/** The time of Redis, ms since 1970. */
	long now() {
		List<?> time = (List<?>) Objects.requireNonNull(this.redis.call("TIME"));
		return Long.parseLong(time.get(0).toString()) * 1000 + Long.parseLong(time.get(1).toString()) / 1000;
	}

}
