package io.delayqueue.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.stream.Stream;

import io.delayqueue.store.KeySpace;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.fault.RedisSentinel;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * How the library's own pool is opened if that needs a call to Redis.
 */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class OpeningJedisConnectionsIntegrationTests {

	private static final int THREADS = 8;

	private static final Duration HELD = Duration.ofHours(1);

	private static final JedisClientConfiguration CLIENT = JedisClientConfiguration.builder()
		.connectTimeout(Duration.ofSeconds(30))
		.readTimeout(Duration.ofSeconds(30))
		.build();

	private final ThreadPoolExecutor threads = (ThreadPoolExecutor) Executors.newFixedThreadPool(THREADS);

	private RedisSentinel servers;

	private RedisServer sentinel;

	private FaultProxy proxy;

	private DelayQueueRedisTemplate template;

	@BeforeAll
	void startServers() {
		this.servers = RedisSentinel.builder().start();
		this.sentinel = this.servers.sentinels().get(0);
	}

	@AfterAll
	void stopServers() {
		this.threads.shutdownNow();
		this.servers.close();
	}

	@BeforeEach
	void connect() {
		this.proxy = FaultProxy.to(this.sentinel);
		this.template = template(
				new JedisConnectionFactory(new RedisSentinelConfiguration().master(RedisSentinel.MASTER_NAME)
					.sentinel("127.0.0.1", this.proxy.port()), CLIENT));
	}

	@AfterEach
	void disconnect() {
		this.template.destroy();
		this.proxy.close();
	}

	@Test
	void aPoolThatCouldNotBeOpenedIsOpenedByALaterCall() {
		this.proxy.refuse();
		assertNotExecuted(call());
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(this.template::start);
		this.proxy.pass();
		assertThat(call()).isNull();
	}

	@Tag("slow")
	@Test
	void aClusterPoolThatCouldNotBeOpenedIsOpenedByALaterCall() {
		try (RedisCluster cluster = RedisCluster.builder().replicas(0).start();
				FaultProxy node = FaultProxy.to(cluster.nodes().get(0))) {
			DelayQueueRedisTemplate ofCluster = template(new JedisConnectionFactory(
					new RedisClusterConfiguration(List.of("127.0.0.1:" + node.port())), CLIENT));
			try {
				node.refuse();
				assertNotExecuted(call(ofCluster));
				node.pass();
				assertThat(call(ofCluster)).isNull();
			}
			finally {
				ofCluster.destroy();
			}
		}
	}

	@Test
	void threadsThatNeedThePoolWhileItIsOpenedUseTheSameOne() {
		this.proxy.delay(HELD);
		List<CompletableFuture<@Nullable StoreException>> calls = Stream
			.generate(() -> CompletableFuture.supplyAsync(this::call, this.threads))
			.limit(THREADS)
			.toList();
		Awaitility.await().until(() -> this.proxy.accepted() == 1 && this.threads.getActiveCount() == THREADS);

		this.proxy.pass();

		assertThat(calls).allSatisfy((call) -> assertThat(call.join()).isNull());
		Awaitility.await().until(() -> this.proxy.openConnections() == 1);
	}

	@Test
	void aCallWaitsForTheOpeningAsLongAsForAConnectionAndTheStartUntilItIsOpen() {
		this.proxy.delay(HELD);
		CompletableFuture<@Nullable StoreException> first = CompletableFuture.supplyAsync(this::call, this.threads);
		Awaitility.await().until(() -> this.proxy.openConnections() == 1);

		CompletableFuture<Void> start = CompletableFuture.runAsync(this.template::start, this.threads);
		StoreException failure = call();

		assertNotExecuted(failure);
		assertThat(failure).hasMessageContaining("another thread is still opening it");
		assertThat(failure.isRedisLost()).isFalse();
		assertThat(first).isNotDone();
		assertThat(start).isNotDone();
		this.proxy.pass();
		assertThat(first.join()).isNull();
		start.join();
	}

	@Test
	void aPoolThatIsOpenedWhileTheApplicationStopsIsClosedAgain() {
		this.proxy.delay(HELD);
		CompletableFuture<@Nullable StoreException> call = CompletableFuture.supplyAsync(this::call, this.threads);
		Awaitility.await().until(() -> this.proxy.openConnections() == 1);

		this.template.stop();
		this.proxy.pass();

		StoreException failure = call.join();
		assertThat(failure).isNotNull();
		assertThat(failure.kind()).isEqualTo(FailureKind.CLOSED);
		assertThat(this.template.isRunning()).isFalse();
		this.template.start();
		assertThat(call()).isNull();
	}

	private static void assertNotExecuted(@Nullable StoreException failure) {
		assertThat(failure).isNotNull();
		assertThat(failure.kind()).isEqualTo(FailureKind.NOT_EXECUTED);
	}

	private @Nullable StoreException call() {
		return call(this.template);
	}

	private static @Nullable StoreException call(DelayQueueRedisTemplate template) {
		RedisCalls calls = new RedisCalls(template, new KeySpace("test"));
		return catchThrowableOfType(StoreException.class, () -> new QueueDirectory(calls).all());
	}

	private static DelayQueueRedisTemplate template(JedisConnectionFactory theirs) {
		DelayQueueRedisTemplate template = new DelayQueueRedisTemplate(theirs);
		template.afterPropertiesSet();
		return template;
	}

}
