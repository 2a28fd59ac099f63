package io.delayqueue.observe;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.observe.QueueStock.Stock;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.store.Attempts.Presence;
import io.delayqueue.store.KeySpace;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.Snapshots;
import io.delayqueue.store.StoreException;
import io.delayqueue.test.redis.CommandLog;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisCluster;
import io.delayqueue.test.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is counted, how often, and what becomes of it when Redis does not answer.
 */
@SuppressWarnings("NullAway.Init")
class QueueStockIntegrationTests {

	private static final Duration FRESH = Duration.ofMinutes(1);

	private static final Duration KEPT = Duration.ofMinutes(3);

	private static final Duration FORGOTTEN = Duration.ofMinutes(11);

	private static final Duration TIMEOUT = Duration.ofMillis(1500);

	private final AtomicLong ahead = new AtomicLong();

	private final Gate gate = new Gate();

	private final Map<String, Integer> partitions = new HashMap<>(Map.of("parted", 3));

	private final List<JedisConnectionFactory> opened = new ArrayList<>();

	private RedisServer redis;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
	}

	@AfterEach
	void stop() {
		this.opened.forEach(JedisConnectionFactory::destroy);
		if (this.redis.isFrozen()) {
			this.redis.resume();
		}
		this.redis.close();
	}

	@Test
	void theSumOfAllPartitionsIsTold() {
		this.redis.call("ZADD", "dq:{parted:0}:scheduled", "1", "a", "4000000000000", "b");
		this.redis.call("ZADD", "dq:{parted:1}:scheduled", "1000", "c");
		this.redis.call("ZADD", "dq:{parted:2}:dead", "1", "d", "1", "e");
		this.redis.call("ZADD", "dq:{parted:1}:parked", "0", "group and due and id");
		this.redis.call("XADD", "dq:{parted:0}:ready", "*", "id", "f");
		this.redis.call("XADD", "dq:{parted:2}:ready", "*", "id", "g");
		this.redis.call("XADD", "dq:{parted:2}:ready", "*", "id", "h");
		this.redis.call("XGROUP", "CREATE", "dq:{parted:2}:ready", "consumers", "0");
		this.redis.call("XREADGROUP", "GROUP", "consumers", "me", "COUNT", "1", "STREAMS", "dq:{parted:2}:ready", ">");

		Stock stock = stock().of("parted");

		assertThat(stock).isNotNull();
		assertThat(stock).isEqualTo(new Stock(3, 1, 2, 2, 1, 2, stock.overdueAge(), Duration.ZERO, Duration.ZERO));
		assertThat(stock.overdueAge()).as("of the oldest one, due in 1970").isGreaterThan(Duration.ofDays(365 * 50));
		this.redis.call("HSET", "dq:{parted:1}:control", "paused", "1000");
		this.redis.call("HSET", "dq:{parted:2}:control", "paused", "4000000000000", "draining", "2000");
		Stock steered = Objects.requireNonNull(stock().of("parted"));
		assertThat(steered.paused()).isTrue();
		assertThat(steered.pausedFor()).as("by the partition that was first").isGreaterThan(Duration.ofDays(365 * 50));
		assertThat(steered.drainingFor()).isBetween(steered.pausedFor().minusSeconds(60), steered.pausedFor());
	}

	/** Where handlers hang, nothing else tells: the stream takes what is due. */
	@Test
	void whatWaitsInTheStreamIsLateToo() {
		this.redis.call("XADD", "dq:{hung:0}:ready", "1000-0", "id", "a");

		Stock stock = Objects.requireNonNull(stock().of("hung"));

		assertThat(stock.overdue()).isZero();
		assertThat(stock.overdueAge()).isGreaterThan(Duration.ofDays(365 * 50));
	}

	@Test
	void whatIsFreshIsNotCountedAgainAndThenEachPartitionOnce() {
		QueueStock stock = stock();
		try (CommandLog log = CommandLog.of(this.redis)) {
			askForAll(stock);
			askForAll(stock);
			assertThat(scripts(log)).isEqualTo(4);

			this.ahead.addAndGet(FRESH.toNanos() - Duration.ofSeconds(30).toNanos());
			askForAll(stock);
			assertThat(scripts(log)).isEqualTo(4);

			this.ahead.addAndGet(Duration.ofSeconds(30).toNanos());
			assertThat(stock.of("orders")).isNotNull();
			assertThat(scripts(log)).as("one look at all that were asked for").isEqualTo(8);
			askForAll(stock);
			assertThat(scripts(log)).isEqualTo(8);
		}
	}

	@Test
	void whatNobodyAsksForAnyMoreIsNotCounted() {
		QueueStock stock = stock();
		askForAll(stock);
		this.ahead.addAndGet(FORGOTTEN.toNanos());
		try (CommandLog log = CommandLog.of(this.redis)) {
			stock.of("orders");
			assertThat(scripts(log)).isEqualTo(1);
		}
	}

	@Test
	void oneThreadCountsForAll() throws Exception {
		int many = 16;
		QueueStock stock = stock();
		ExecutorService threads = Executors.newFixedThreadPool(many);
		try (CommandLog log = CommandLog.of(this.redis)) {
			CyclicBarrier together = new CyclicBarrier(many);
			List<Callable<Boolean>> asks = new ArrayList<>();
			for (int i = 0; i < many; i++) {
				asks.add(() -> {
					together.await();
					return stock.of("parted") != null;
				});
			}
			List<Boolean> known = new ArrayList<>();
			for (Future<Boolean> ask : threads.invokeAll(asks)) {
				known.add(ask.get());
			}
			assertThat(known).contains(true);
			assertThat(scripts(log)).isEqualTo(3);
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void whileOneThreadCountsTheOthersGetWhatWasCountedBeforeAndDoNotWait() throws Exception {
		QueueStock stock = stock();
		assertThat(stock.of("orders")).isNotNull();
		this.ahead.addAndGet(FRESH.toNanos());
		int asked = this.gate.asked;
		this.redis.freeze();
		ExecutorService thread = Executors.newSingleThreadExecutor();
		try {
			Future<@Nullable Stock> slow = thread.submit(() -> stock.of("orders"));
			await().until(() -> this.gate.asked > asked);
			long began = System.nanoTime();
			assertThat(stock.of("orders")).as("what was counted before").isNotNull();
			assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(TIMEOUT);
			assertThat(slow.isDone()).isFalse();
			this.redis.resume();
			assertThat(slow.get()).isNotNull();
		}
		finally {
			thread.shutdownNow();
		}
	}

	@Test
	void whileRedisIsAwayNobodyAsksItAndWhatWasCountedIsKeptForAWhile() {
		QueueStock stock = stock();
		assertThat(stock.of("orders")).isNotNull();
		this.gate.open.set(false);
		try (CommandLog log = CommandLog.of(this.redis)) {
			this.ahead.addAndGet(FRESH.toNanos());
			assertThat(stock.of("orders")).as("it may be back soon").isNotNull();
			assertThat(stock.of("other")).isNull();
			this.ahead.addAndGet(KEPT.toNanos());
			assertThat(stock.of("orders")).isNull();
			assertThat(log.count()).isZero();

			this.gate.open.set(true);
			assertThat(stock.of("orders")).isNotNull();
			assertThat(stock.of("other")).isNotNull();
		}
	}

	@Test
	void aRedisThatIsGoneIsReportedAndThrowsNothing() {
		QueueStock stock = stock();
		assertThat(stock.of("orders")).isNotNull();
		this.redis.kill();
		this.ahead.addAndGet(KEPT.toNanos());

		assertThat(stock.of("orders")).isNull();
		assertThat(this.gate.lost).hasSize(1);
		assertThat(stock.of("orders")).as("not tried again so soon").isNull();
		assertThat(this.gate.lost).hasSize(1);
		this.redis.start();
		this.ahead.addAndGet(FRESH.toNanos());
		assertThat(stock.of("orders")).isNotNull();
	}

	@Test
	void aKeyOfSomebodyElseIsNotAskedForAllTheTime() {
		this.redis.call("SET", "dq:{orders:0}:scheduled", "somebody else's");
		QueueStock stock = stock();
		assertThat(stock.of("orders")).isNull();
		try (CommandLog log = CommandLog.of(this.redis)) {
			assertThat(stock.of("orders")).isNull();
			assertThat(log.count()).isZero();
			assertThat(stock.of("other")).isNotNull();
		}
		assertThat(this.gate.lost).as("it has answered").isEmpty();
	}

	@Test
	void aScrapeDoesNotWaitForMoreThanOneAnswerThatDoesNotCome() {
		try (FaultProxy proxy = FaultProxy.to(this.redis)) {
			QueueStock stock = stock(proxy.uri());
			askForAll(stock);
			proxy.blackhole();
			this.ahead.addAndGet(FRESH.toNanos());
			long began = System.nanoTime();
			for (int i = 0; i < 20; i++) {
				stock.of("queue-" + i);
			}
			assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(TIMEOUT.multipliedBy(3));
			assertThat(this.gate.lost).hasSize(1);
		}
	}

	@Test
	void aNodeThatHangsKeepsTheOtherNodesQueuesNotOut() {
		try (RedisCluster cluster = RedisCluster.builder()
			.replicas(0)
			.nodeTimeout(Duration.ofMinutes(1))
			.setting("cluster-require-full-coverage", "no")
			.start()) {
			RedisServer node = cluster.masterOf("dq:{q-0:0}:scheduled");
			List<String> there = new ArrayList<>();
			List<String> others = new ArrayList<>();
			for (int i = 0; i < 12; i++) {
				String queue = "q-" + i;
				(cluster.masterOf("dq:{" + queue + ":0}:scheduled") == node ? there : others).add(queue);
			}
			assertThat(there).hasSizeGreaterThan(1);
			assertThat(others).hasSizeGreaterThan(1);
			QueueStock stock = stock(connections(cluster));
			node.freeze();
			try {
				for (int look = 0; look <= there.size(); look++) {
					this.ahead.addAndGet(FRESH.toNanos());
					there.forEach(stock::of);
					others.forEach(stock::of);
				}
				for (int look = 0; look <= there.size(); look++) {
					this.ahead.addAndGet(KEPT.toNanos());
					there.forEach((queue) -> assertThat(stock.of(queue)).as(queue).isNull());
					others.forEach((queue) -> assertThat(stock.of(queue)).as(queue).isNotNull());
				}
			}
			finally {
				node.resume();
			}
			this.ahead.addAndGet(FRESH.toNanos());
			there.forEach((queue) -> assertThat(stock.of(queue)).as(queue).isNotNull());
		}
	}

	private void askForAll(QueueStock stock) {
		assertThat(stock.of("orders")).isNotNull();
		assertThat(stock.of("parted")).isNotNull();
	}

	private static long scripts(CommandLog log) {
		return log.count("EVALSHA");
	}

	private QueueStock stock() {
		return stock(this.redis.uri());
	}

	private QueueStock stock(URI uri) {
		JedisConnectionFactory connections = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(uri.getHost(), uri.getPort()), client());
		QueueStock stock = stock(started(connections));
		// So that Redis knows the script, and each look is one call
		stock.of("warm-up");
		this.ahead.addAndGet(FORGOTTEN.toNanos());
		return stock;
	}

	private JedisConnectionFactory connections(RedisCluster cluster) {
		RedisClusterConfiguration nodes = new RedisClusterConfiguration(cluster.addresses());
		nodes.setMaxRedirects(1);
		return started(new JedisConnectionFactory(nodes, client()));
	}

	private QueueStock stock(JedisConnectionFactory connections) {
		RedisTemplate<String, byte[]> template = new RedisTemplate<>();
		template.setConnectionFactory(connections);
		template.setKeySerializer(RedisSerializer.string());
		template.setValueSerializer(RedisSerializer.byteArray());
		template.afterPropertiesSet();
		Queues queues = (name) -> settings(name, this.partitions.getOrDefault(name, 1));
		return new QueueStock(new Snapshots(new RedisCalls(template, new KeySpace("dq"))), queues, this.gate, FRESH,
				KEPT, () -> System.nanoTime() + this.ahead.get());
	}

	private JedisConnectionFactory started(JedisConnectionFactory connections) {
		connections.afterPropertiesSet();
		connections.start();
		this.opened.add(connections);
		return connections;
	}

	private static JedisClientConfiguration client() {
		return JedisClientConfiguration.builder().connectTimeout(TIMEOUT).readTimeout(TIMEOUT).build();
	}

	private static QueueSettings settings(String name, int partitions) {
		Duration minute = Duration.ofMinutes(1);
		return new QueueSettings(name, partitions, 1, minute, minute, 1, minute, minute,
				new RetrySettings(1, 1, 1, 1, minute, BackOffPolicy.fixed(minute), Set.of()), GroupSettings.NONE,
				ExpirySettings.NEVER);
	}

	/** A gate that the test opens and closes. */
	private static final class Gate implements Presence {

		private final AtomicBoolean open = new AtomicBoolean(true);

		private final List<StoreException> lost = new ArrayList<>();

		private volatile int asked;

		@Override
		public boolean await(long nanos) {
			assertThat(nanos).as("nobody waits").isZero();
			this.asked++;
			return this.open.get();
		}

		@Override
		public String reason() {
			return "the test says so";
		}

		@Override
		public void lost(StoreException failure) {
			this.lost.add(failure);
		}

	}

}
