package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Threads of one process that use a queue for the first time at the same time: none waits
 * for another thread's call to Redis.
 */
class FirstContactIntegrationTests {

	/** No unanswered call ends before the test has checked. */
	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final int QUEUES = 8;

	private static final KeySpace KEYS = new KeySpace("test");

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final HeldTemplate template = new HeldTemplate();

	private RedisServer redis;

	private Connected plain;

	private Connected held;

	private QueueDirectory directory;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
		this.plain = Connected.over(Driver.JEDIS, this.redis.uri());
		this.held = Connected.over(Driver.JEDIS, this.redis.uri(), this.template);
		this.directory = directory(this.held);
		directory(this.plain).enter(settings("orders", 2));
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
		this.held.close();
		this.plain.close();
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("row 56: while Redis is silent no first contact with a queue waits for another one")
	void whileRedisIsSilentFirstUsesOfSeveralQueuesRunAtTheSameTime(Driver driver) {
		try (FaultProxy proxy = FaultProxy.to(this.redis);
				Connected connected = Connected.over(driver, proxy.uri(), TIMEOUT, QUEUES)) {
			QueueDirectory silent = directory(connected);
			proxy.blackhole();
			List<CompletableFuture<@Nullable StoreException>> contacts = IntStream.range(0, QUEUES)
				.mapToObj((number) -> enter(silent, settings("orders-" + number, 1)))
				.toList();

			// Each of them opens a connection of its own, which Redis does not answer
			Awaitility.await().until(() -> proxy.accepted() == QUEUES);

			assertThat(contacts).noneMatch(CompletableFuture::isDone);
			proxy.cutAll();
			assertThat(contacts).allSatisfy((contact) -> assertThat(contact.join()).isNotNull());
		}
	}

	@Test
	void whileAnotherThreadChangesThePartitionCountAQueueIsNotRegistered() {
		Hold firstClaim = this.template.holdBeforeClaim(1);
		CompletableFuture<@Nullable StoreException> change = enter(this.directory, settings("orders", 4));
		firstClaim.await();

		assertBeingChanged();
		this.directory.enter(settings("payments", 1));
		firstClaim.resume();
		assertThat(change.join()).isNull();
		this.directory.enter(settings("orders", 4));
		assertThat(this.directory.partitions("orders")).isEqualTo(4);
	}

	@Test
	void aThreadThatHasReadTheOldPartitionCountDoesNotChangeItAgain() {
		Hold afterRead = this.template.holdAfterNextCommand();
		CompletableFuture<@Nullable StoreException> late = enter(this.directory, settings("orders", 4));
		afterRead.await();
		this.directory.enter(settings("orders", 4));
		int claims = this.template.claims.get();

		afterRead.resume();

		assertThat(late.join()).isNull();
		assertThat(this.template.claims).hasValue(claims);
	}

	@Test
	void aPartitionCountIsNotUsedBeforeItsChangeHasSucceeded() {
		Hold afterWrite = this.template.holdBeforeClaim(5);
		CompletableFuture<@Nullable StoreException> change = enter(this.directory, settings("orders", 4));
		afterWrite.await();

		assertThat(this.directory.partitions("orders")).isEqualTo(4);
		assertBeingChanged();
		useByTheOldCount();
		afterWrite.resume();
		assertThat(change.join()).hasMessageContaining("holds messages");
		assertThat(this.directory.partitions("orders")).isEqualTo(2);
	}

	@Test
	void aPartitionCountThatWasReadBeforeItsChangeWasUndoneIsNotUsed() {
		Hold afterWrite = this.template.holdBeforeClaim(5);
		CompletableFuture<@Nullable StoreException> change = enter(this.directory, settings("orders", 4));
		afterWrite.await();
		Hold afterRead = this.template.holdAfterNextCommand();
		CompletableFuture<@Nullable StoreException> contact = enter(this.directory, settings("orders", 4));
		afterRead.await();
		useByTheOldCount();
		afterWrite.resume();
		assertThat(change.join()).hasMessageContaining("holds messages");

		afterRead.resume();

		assertThat(contact.join()).hasMessageContaining("is changing the partition count");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.directory.enter(settings("orders", 4)))
			.withMessageContaining("holds messages");
	}

	/** As a process does that restored a partition before the count was written. */
	private void useByTheOldCount() {
		Partition first = new Partition("orders", 0);
		new TestStore(this.plain.template(), KEYS, first).claim(2);
		new ScheduledMessages(new RedisCalls(this.plain.template(), KEYS)).schedule(first, settings("orders", 2),
				List.of(TestMessages.message("a", States.FAR, 1)));
	}

	private void assertBeingChanged() {
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.directory.enter(settings("orders", 4)))
			.withMessageContaining("another thread of this process is changing the partition count of queue 'orders'")
			.satisfies((failure) -> {
				assertThat(failure.kind()).isEqualTo(FailureKind.NOT_EXECUTED);
				assertThat(failure.isRedisLost()).isFalse();
			});
	}

	private CompletableFuture<@Nullable StoreException> enter(QueueDirectory directory, QueueSettings settings) {
		return CompletableFuture.supplyAsync(
				() -> catchThrowableOfType(StoreException.class, () -> directory.enter(settings)), this.threads);
	}

	private static QueueDirectory directory(Connected connected) {
		return new QueueDirectory(new RedisCalls(connected.template(), KEYS));
	}

	private static QueueSettings settings(String name, int partitions) {
		RetrySettings retry = new RetrySettings(5, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(name, partitions, 10, Duration.ofSeconds(30), TestStore.MAX_DELAY, 1000,
				Duration.ofSeconds(10), Duration.ofMinutes(2), retry, GroupSettings.NONE, ExpirySettings.NEVER);
	}

	/** Stops a thread at some point. */
	private static final class Hold {

		private final CountDownLatch reached = new CountDownLatch(1);

		private final CountDownLatch resumed = new CountDownLatch(1);

		private void pass() {
			this.reached.countDown();
			await(this.resumed);
		}

		void await() {
			await(this.reached);
		}

		void resume() {
			this.resumed.countDown();
		}

		private static void await(CountDownLatch latch) {
			try {
				assertThat(latch.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException interrupted) {
				throw new IllegalStateException(interrupted);
			}
		}

	}

	/** Holds a thread between two of its calls. */
	private static final class HeldTemplate extends RedisTemplate<String, byte[]> {

		private final AtomicInteger claims = new AtomicInteger();

		private final Map<Integer, Hold> beforeClaims = new ConcurrentHashMap<>();

		private final AtomicReference<@Nullable Hold> afterCommand = new AtomicReference<>();

		/** Before the claim of this number, counted from 1. */
		Hold holdBeforeClaim(int number) {
			Hold hold = new Hold();
			this.beforeClaims.put(number, hold);
			return hold;
		}

		Hold holdAfterNextCommand() {
			Hold hold = new Hold();
			this.afterCommand.set(hold);
			return hold;
		}

		@Override
		public <T> T execute(RedisScript<T> script, RedisSerializer<?> argsSerializer,
				RedisSerializer<T> resultSerializer, List<String> keys, Object... args) {
			if (script.equals(StoreScript.CLAIM_PARTITION_COUNT.script())) {
				Hold hold = this.beforeClaims.get(this.claims.incrementAndGet());
				if (hold != null) {
					hold.pass();
				}
			}
			return super.execute(script, argsSerializer, resultSerializer, keys, args);
		}

		@Override
		public <T> T execute(RedisCallback<T> action) {
			Hold hold = this.afterCommand.getAndSet(null);
			T answer = super.execute(action);
			if (hold != null) {
				hold.pass();
			}
			return answer;
		}

	}

}
