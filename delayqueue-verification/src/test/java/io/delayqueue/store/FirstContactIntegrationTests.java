package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.redis.StoreException;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
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

	private RedisServer redis;

	private Connected plain;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
		this.plain = Connected.over(Driver.JEDIS, this.redis.uri());
		directory(this.plain).register(settings("orders", 2));
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
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

			// Each thread opens its own connection, and Redis answers none of them
			Awaitility.await().until(() -> proxy.accepted() == QUEUES);

			assertThat(contacts).noneMatch(CompletableFuture::isDone);
			proxy.cutAll();
			assertThat(contacts).allSatisfy((contact) -> assertThat(contact.join()).isNotNull());
		}
	}

	private CompletableFuture<@Nullable StoreException> enter(QueueDirectory directory, QueueSettings settings) {
		return CompletableFuture.supplyAsync(
				() -> catchThrowableOfType(StoreException.class, () -> directory.register(settings)), this.threads);
	}

	private static QueueDirectory directory(Connected connected) {
		return new QueueDirectory(new RedisCalls(connected.template(), KEYS));
	}

	private static QueueSettings settings(String name, int partitions) {
		RetrySettings retry = new RetrySettings(5, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(name, partitions, 10, Duration.ofSeconds(30), TestStore.MAX_DELAY, 1000,
				Duration.ofSeconds(10), Duration.ofMinutes(2), retry, GroupSettings.NONE, ExpirySettings.NEVER,
				FlowSettings.NONE, EndSettings.NONE);
	}

}
