package io.delayqueue.observe;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.redis.CallRetry.Presence;
import io.delayqueue.store.KeySpace;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.Snapshots;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A separate Redis server and statistics of its queues, with a clock that the test
 * advances and a gate that the test opens and closes.
 */
final class TestStock implements AfterEachCallback {

	static final Duration FRESH = Duration.ofMinutes(1);

	static final Duration KEPT = Duration.ofMinutes(3);

	static final Duration FORGOTTEN = Duration.ofMinutes(11);

	/** Default command timeout. */
	private static final Duration TIMEOUT = Duration.ofMillis(1500);

	/** Partition counts of the queues with more than one partition. */
	private static final Map<String, Integer> PARTITIONS = Map.of("parted", 3);

	private final AtomicLong ahead = new AtomicLong();

	private final Gate gate = new Gate();

	private final List<JedisConnectionFactory> opened = new ArrayList<>();

	private final RedisServer redis = RedisServer.builder().start();

	RedisServer redis() {
		return this.redis;
	}

	Gate gate() {
		return this.gate;
	}

	/** Advances the clock. */
	void advanceClock(Duration time) {
		this.ahead.addAndGet(time.toNanos());
	}

	/** Requests a queue with one partition and a queue with three. */
	static void requestAll(QueueStatistics stock) {
		assertThat(stock.of("orders")).isNotNull();
		assertThat(stock.of("parted")).isNotNull();
	}

	/** Returns the number of partitions counted. */
	static long scripts(CommandLog log) {
		return log.count("EVALSHA");
	}

	QueueStatistics stock() {
		return stock(this.redis.uri());
	}

	QueueStatistics stock(URI uri) {
		return stock(uri, TIMEOUT);
	}

	QueueStatistics stock(URI uri, Duration timeout) {
		JedisConnectionFactory connections = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(uri.getHost(), uri.getPort()), client(timeout));
		QueueStatistics stock = stock(connections);
		// Loads the script into Redis, so that each count is one call
		stock.of("warm-up");
		advanceClock(FORGOTTEN);
		return stock;
	}

	QueueStatistics stock(RedisCluster cluster) {
		RedisClusterConfiguration nodes = new RedisClusterConfiguration(cluster.addresses());
		nodes.setMaxRedirects(1);
		return stock(new JedisConnectionFactory(nodes, client(TIMEOUT)));
	}

	private QueueStatistics stock(JedisConnectionFactory connections) {
		connections.afterPropertiesSet();
		connections.start();
		this.opened.add(connections);
		RedisTemplate<String, byte[]> template = new RedisTemplate<>();
		template.setConnectionFactory(connections);
		template.setKeySerializer(RedisSerializer.string());
		template.setValueSerializer(RedisSerializer.byteArray());
		template.afterPropertiesSet();
		Queues queues = (name) -> settings(name, PARTITIONS.getOrDefault(name, 1));
		RedisCalls calls = new RedisCalls(template, new KeySpace("dq"));
		return new QueueStatistics(new Snapshots(calls), queues, new QueueDirectory(calls), this.gate, FRESH, KEPT,
				() -> System.nanoTime() + this.ahead.get());
	}

	private static JedisClientConfiguration client(Duration timeout) {
		return JedisClientConfiguration.builder().connectTimeout(timeout).readTimeout(timeout).build();
	}

	private static QueueSettings settings(String name, int partitions) {
		Duration minute = Duration.ofMinutes(1);
		return new QueueSettings(name, partitions, 1, minute, minute, 1, minute, minute,
				new RetrySettings(1, 1, 1, 1, minute, BackOffPolicy.fixed(minute), Set.of()), GroupSettings.NONE,
				ExpirySettings.NEVER, FlowSettings.NONE, EndSettings.NONE);
	}

	@Override
	public void afterEach(ExtensionContext context) {
		this.opened.forEach(JedisConnectionFactory::destroy);
		if (this.redis.isFrozen()) {
			this.redis.resume();
		}
		this.redis.close();
	}

	/** A gate that the test opens and closes. */
	static final class Gate implements Presence {

		private final List<RuntimeException> lost = new ArrayList<>();

		private volatile boolean open = true;

		private volatile int asked;

		void open(boolean now) {
			this.open = now;
		}

		/** Number of calls that checked the gate. */
		int asked() {
			return this.asked;
		}

		/** The failures that were reported. */
		List<RuntimeException> lost() {
			return this.lost;
		}

		@Override
		public boolean await(long nanos) {
			assertThat(nanos).as("no waiting").isZero();
			this.asked++;
			return this.open;
		}

		@Override
		public String reason() {
			return "closed by the test";
		}

		@Override
		public void lost(RuntimeException failure) {
			this.lost.add(failure);
		}

	}

}
