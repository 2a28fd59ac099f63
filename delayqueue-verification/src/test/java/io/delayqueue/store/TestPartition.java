package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.delayqueue.queue.Partition;
import io.delayqueue.record.CallToken;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A partition of one test: under a unique key prefix, and removed after the test.
 */
final class TestPartition implements AfterEachCallback, AutoCloseable {

	/** Copies each key with an odd number to the next one. */
	private static final String COPY = "for i = 1, #KEYS, 2 do redis.call('COPY', KEYS[i], KEYS[i + 1]) end";

	private static final Set<Key> OF_IDS = EnumSet.of(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.FAILURES, Key.DEAD,
			Key.EXPIRIES, Key.GROUPED);

	private static final List<Key> OWN_KEYS = Stream.of(Key.values()).filter((key) -> !key.isShared()).toList();

	/** Opened by the first test, and closed with the JVM. */
	private static final Map<Driver, Connected> SHARED = new ConcurrentHashMap<>();

	private final RespClient redis;

	private final KeySpace keySpace;

	private final Partition partition;

	private final Connected connected;

	private final TestStore store;

	private TestPartition(RespClient redis, Connected connected) {
		this(redis, connected, new KeySpace("test-" + CallToken.next().replaceAll("[_-]", "0")),
				new Partition("orders", 0));
	}

	private TestPartition(RespClient redis, Connected connected, KeySpace keySpace, Partition partition) {
		this.redis = redis;
		this.connected = connected;
		this.keySpace = keySpace;
		this.partition = partition;
		this.store = storeOver(connected);
	}

	/** On the shared server of all tests, over Jedis. */
	static TestPartition shared() {
		return shared(Driver.JEDIS);
	}

	/** On the shared server of all tests. */
	static TestPartition shared(Driver driver) {
		return new TestPartition(SharedRedis.get().client(),
				SHARED.computeIfAbsent(driver, (it) -> Connected.over(it, SharedRedis.get().uri())));
	}

	/** On a server that the test may change. */
	static TestPartition on(RedisServer server, Connected connected) {
		return new TestPartition(server.client(), connected);
	}

	/**
	 * The partition of the same queue in another epoch, on the shared server of all
	 * tests.
	 */
	TestPartition ofEpoch(int epoch) {
		return new TestPartition(SharedRedis.get().client(), this.connected, this.keySpace,
				new Partition("orders", epoch, 0));
	}

	/** The store of this partition. */
	TestStore store() {
		return this.store;
	}

	/** The same partition over other connections. */
	TestStore storeOver(Connected connected) {
		return new TestStore(connected.template(), this.keySpace, this.partition);
	}

	String key(Key key) {
		return this.keySpace.name(this.partition, key);
	}

	PartitionDump dump() {
		return PartitionDump.of(this.redis, this.keySpace, this.partition);
	}

	/**
	 * Lets Redis see all buckets as if the time had passed, and a few ms more: the time
	 * of a token is rounded up.
	 */
	void passHours(int hours) {
		for (Key key : List.of(Key.RATES, Key.THROTTLED)) {
			long passed = Duration.ofHours(hours).plusMillis(5).toMillis() * ((key == Key.RATES) ? 1000 : 1);
			redis().call("EVAL",
					"for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do"
							+ " redis.call('ZINCRBY', KEYS[1], -ARGV[1], name) end",
					"1", key(key), Long.toString(passed));
		}
	}

	/** Sends a subcommand of {@code XGROUP} about the consumer group of the stream. */
	void consumerGroup(String subcommand, String... arguments) {
		this.redis
			.call(Stream.concat(Stream.of("XGROUP", subcommand, key(Key.READY), KeySpace.GROUP), Stream.of(arguments))
				.toArray(String[]::new));
	}

	/**
	 * Sends a command about one of the partition's keys. An id may stand for a message
	 * with a group.
	 */
	void command(String name, Key key, String... arguments) {
		Stream<String> words = Stream.of(arguments).map((word) -> OF_IDS.contains(key) ? stored(word) : word);
		this.redis.call(Stream.concat(Stream.of(name, key(key)), words).toArray(String[]::new));
	}

	private String stored(String id) {
		List<?> found = PartitionDump.list(this.redis.call("ZRANGE", key(Key.GROUPS), "[\1" + id + "\1",
				"(\1" + id + "\2", "BYLEX", "LIMIT", "0", "1"));
		return found.isEmpty() ? id : found.get(0).toString().substring(1);
	}

	RespClient redis() {
		return this.redis;
	}

	/** The time of Redis, ms. */
	long now() {
		List<?> time = PartitionDump.list(this.redis.call("TIME"));
		return Long.parseLong(time.get(0).toString()) * 1000 + Long.parseLong(time.get(1).toString()) / 1000;
	}

	/** Another partition with the same content, on the shared server of all tests. */
	TestPartition copy() {
		TestPartition copy = new TestPartition(SharedRedis.get().client(), this.connected);
		List<String> words = new ArrayList<>(List.of("EVAL", COPY, String.valueOf(2 * OWN_KEYS.size())));
		for (Key key : OWN_KEYS) {
			words.add(key(key));
			words.add(copy.key(key));
		}
		this.redis.call(words.toArray(String[]::new));
		return copy;
	}

	@Override
	public void afterEach(ExtensionContext context) {
		close();
	}

	@Override
	public void close() {
		try (this.redis) {
			this.redis.call(Stream.concat(Stream.of("DEL"), OWN_KEYS.stream().map(this::key)).toArray(String[]::new));
		}
	}

}
