package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.delayqueue.fleet.Fleet;
import io.delayqueue.fleet.HintListener;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.store.Hint.Kind;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.fault.RedisSentinel;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A subscription to hints that has received nothing for long: its connection may have
 * broken without an error.
 */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("NullAway.Init")
class SilentSubscriptionIntegrationTests {

	private static final Duration SILENCE = Duration.ofMillis(500);

	private static final KeySpace KEYS = new KeySpace("test");

	private static final Partition PARTITION = new Partition("orders", 0);

	private RedisServer redis;

	private FaultProxy proxy;

	private Connected elsewhere;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
		this.proxy = FaultProxy.to(this.redis);
		this.elsewhere = Connected.over(Driver.JEDIS, this.redis.uri());
	}

	@AfterEach
	void stop() {
		this.elsewhere.close();
		this.proxy.close();
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource
	void aHalfOpenSubscriptionIsRenewed(Driver driver) {
		try (Listening listening = new Listening(driver)) {
			awaitSubscriber();
			this.proxy.silenceOpen();
			assertHintsArrive(listening);
		}
	}

	@ParameterizedTest
	@EnumSource
	void aRepeatedlySilentSubscriptionIsRenewedEachTimeWithoutAFailure(Driver driver, CapturedOutput output) {
		try (Listening listening = new Listening(driver)) {
			Awaitility.await().until(() -> this.proxy.accepted() > 2);
			awaitSubscriber();
			assertHintsArrive(listening);
		}
		assertThat(output).doesNotContain("delayqueue-hints-in failed");
		Awaitility.await().until(() -> this.proxy.openConnections() == 0);
	}

	/**
	 * The driver itself subscribes to sentinels, and would log the end of that
	 * subscription as an error.
	 */
	@Test
	void theDriverStaysSubscribedToSilentSentinels(CapturedOutput output) {
		try (RedisSentinel servers = RedisSentinel.builder().start();
				FaultProxy sentinel = FaultProxy.to(servers.sentinels().get(0));
				CommandLog log = CommandLog.of(servers.master())) {
			JedisConnectionFactory connections = new JedisConnectionFactory(
					new RedisSentinelConfiguration().master(RedisSentinel.MASTER_NAME)
						.sentinel(sentinel.host(), sentinel.port()));
			connections.afterPropertiesSet();
			try (Listening listening = new Listening(connections)) {
				Awaitility.await().until(() -> log.count("SUBSCRIBE") > 0);
				long accepted = sentinel.accepted();
				Awaitility.await().until(() -> log.count("SUBSCRIBE") > 4);
				assertThat(sentinel.accepted()).isEqualTo(accepted);
				assertThat(output)
					.doesNotContain("Lost connection to Sentinel " + sentinel.host() + ":" + sentinel.port());
				assertThat(listening.hints).hasValue(0);
			}
		}
	}

	/** Lettuce does not report how long a subscription has been silent. */
	@Test
	void aSubscriptionIsActiveWhileHintsArrive() throws Exception {
		AtomicLong now = new AtomicLong();
		RedisConnectionFactory connections = connect(Driver.LETTUCE);
		HintChannel channel = new HintChannel(new RedisCalls(template(connections), KEYS), SILENCE, now::get);
		CountDownLatch[] hintReceived = { new CountDownLatch(1) };
		channel.subscribe(() -> true, "member", (hint, isForAll) -> hintReceived[0].countDown());
		awaitSubscriber();
		now.addAndGet(SILENCE.toNanos() - 1);
		assertThat(channel.isSubscribed()).isTrue();
		publish();
		assertThat(hintReceived[0].await(2, TimeUnit.MINUTES)).isTrue();
		now.addAndGet(SILENCE.toNanos() - 1);
		assertThat(channel.isSubscribed()).isTrue();
		now.incrementAndGet();
		assertThat(channel.isSubscribed()).isFalse();
		channel.unsubscribe();
		destroy(connections);
	}

	/** A hanging connection must delay neither a check of the subscription nor a stop. */
	@Test
	void unsubscribeDoesNotWaitForAHalfOpenConnection() throws Exception {
		ExecutorService thread = Executors.newSingleThreadExecutor();
		RedisConnectionFactory connections = connect(Driver.JEDIS);
		try {
			HintChannel channel = new HintChannel(new RedisCalls(template(connections), KEYS), SILENCE,
					System::nanoTime);
			Future<?> subscription = thread.submit(() -> channel.subscribe(() -> true, "member", (hint, isForAll) -> {
			}));
			awaitSubscriber();
			this.proxy.silenceOpen();
			channel.unsubscribe();
			assertThat(channel.isSubscribed()).isFalse();
			subscription.get(2, TimeUnit.MINUTES);
		}
		finally {
			thread.shutdownNow();
			destroy(connections);
		}
	}

	private void assertHintsArrive(Listening listening) {
		int before = listening.hints.get();
		Awaitility.await().until(() -> {
			publish();
			return listening.hints.get() > before;
		});
	}

	private void publish() {
		new HintChannel(new RedisCalls(this.elsewhere.template(), KEYS)).publish(new Hint(Kind.DUE, PARTITION), null);
	}

	private void awaitSubscriber() {
		Awaitility.await().until(() -> ((List<?>) this.redis.call("PUBSUB", "NUMSUB", KEYS.hints())).get(1).equals(1L));
	}

	private RedisConnectionFactory connect(Driver driver) {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(this.proxy.host(), this.proxy.port());
		return switch (driver) {
			case JEDIS -> {
				JedisConnectionFactory jedis = new JedisConnectionFactory(server);
				jedis.afterPropertiesSet();
				yield jedis;
			}
			case LETTUCE -> {
				LettuceConnectionFactory lettuce = new LettuceConnectionFactory(server,
						LettuceClientConfiguration.builder().shutdownTimeout(Duration.ZERO).build());
				lettuce.afterPropertiesSet();
				yield lettuce;
			}
		};
	}

	private static DelayQueueRedisTemplate template(RedisConnectionFactory connections) {
		DelayQueueRedisTemplate template = new DelayQueueRedisTemplate(connections, SILENCE);
		template.afterPropertiesSet();
		return template;
	}

	private static void destroy(RedisConnectionFactory connections) {
		((SmartLifecycle) connections).stop();
	}

	/** A process that consumes a queue, as far as hints are concerned. */
	private final class Listening implements Signals.PartitionSignals, AutoCloseable {

		private final AtomicInteger hints = new AtomicInteger();

		private final RedisConnectionFactory connections;

		private final DelayQueueRedisTemplate template;

		private final HintListener listener;

		private final TaskPool tasks = new TaskPool();

		Listening(Driver driver) {
			this(connect(driver));
		}

		Listening(RedisConnectionFactory connections) {
			this.connections = connections;
			this.template = template(this.connections);
			Signals signals = new Signals();
			RedisCalls calls = new RedisCalls(this.template, KEYS);
			HintChannel channel = new HintChannel(calls, SILENCE, System::nanoTime);
			RedisGate gate = new RedisGate(this.tasks, null);
			Fleet fleet = new Fleet(false, new Members(calls), new QueueDirectory(calls), channel, new Signals(), gate,
					this.tasks);
			this.listener = new HintListener(channel, signals, fleet, gate,
					new Wakeups(signals, channel, fleet, this.tasks), this.tasks);
			signals.consuming(Epochs.first("orders", 1), this);
		}

		@Override
		public void due(Partition partition, long inNanos) {
			this.hints.incrementAndGet();
		}

		@Override
		public void close() {
			this.listener.stop();
			this.tasks.close();
			this.template.destroy();
			destroy(this.connections);
		}

	}

}
