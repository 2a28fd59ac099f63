package io.delayqueue.store;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.delayqueue.queue.Partition;
import io.delayqueue.store.Hint.Kind;
import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * The subscription to hints, and the effect of its end on other calls.
 */
class HintChannelIntegrationTests {

	private static final int ROUNDS = 400;

	private static final int ECHO_THREADS = 3;

	private RedisServer redis;

	private volatile boolean wanted;

	private volatile boolean ended;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
	}

	private final TaskPool tasks = new TaskPool();

	@AfterEach
	void stop() {
		this.tasks.close();
		this.redis.close();
	}

	/**
	 * The connection of a subscription may return to a pool, from which other calls take
	 * it.
	 */
	@Tag("slow")
	@ParameterizedTest
	@EnumSource
	void theEndOfASubscriptionDoesNotAffectOtherCalls(Driver driver) throws Exception {
		ExecutorService echoes = Executors.newFixedThreadPool(ECHO_THREADS);
		try (Connected connected = Connected.over(driver, this.redis.uri()); RespClient watch = this.redis.client()) {
			RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("test"));
			HintChannel channel = new HintChannel(calls);
			List<Future<?>> all = IntStream.range(0, ECHO_THREADS)
				.<Future<?>>mapToObj((other) -> echoes.submit(() -> echo(calls, other)))
				.toList();
			Task listener = listen(channel);
			for (int round = 0; round < ROUNDS && all.stream().noneMatch(Future::isDone); round++) {
				this.wanted = true;
				listener.wake();
				awaitSubscribers(watch, 1);
				this.wanted = false;
				channel.unsubscribe();
				awaitSubscribers(watch, 0);
			}
			this.ended = true;
			for (Future<?> other : all) {
				other.get();
			}
			assertThat(listener.stop(Duration.ofSeconds(10))).isTrue();
		}
		finally {
			this.ended = true;
			echoes.shutdown();
		}
	}

	/**
	 * For example if the user may not use the channel, which Redis 7 does not grant by
	 * default.
	 */
	@ParameterizedTest
	@EnumSource
	void aRefusedSubscriptionDoesNotAffectOtherCalls(Driver driver) {
		this.redis.call("ACL", "SETUSER", "limited", "on", ">secret", "~*", "+@all", "resetchannels");
		URI uri = URI.create(this.redis.uri().toString().replace("redis://", "redis://limited:secret@"));
		try (Connected connected = Connected.over(driver, uri); RespClient watch = this.redis.client()) {
			RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("test"));
			HintChannel channel = new HintChannel(calls);
			for (int round = 0; round < 50; round++) {
				assertThatException().isThrownBy(() -> channel.subscribe(() -> true, "member", (hint, isForAll) -> {
				}));
				assertThat(channel.isSubscribed()).isFalse();
				channel.unsubscribe();
				byte[] text = Reply.bytes("round " + round);
				assertThat(calls.<byte[]>command((connection) -> connection.echo(text))).isEqualTo(text);
			}
			assertThat(String.valueOf(watch.text("CLIENT", "LIST")).lines().filter((line) -> line.contains("limited")))
				.hasSizeLessThan(10);
		}
	}

	@ParameterizedTest
	@EnumSource
	void anUnsubscribeBeforeTheSubscriptionIsConfirmedIsNotLost(Driver driver) throws Exception {
		ExecutorService thread = Executors.newSingleThreadExecutor();
		try (Connected connected = Connected.over(driver, this.redis.uri()); RespClient watch = this.redis.client()) {
			RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("test"));
			HintChannel channel = new HintChannel(calls);
			for (int round = 0; round < 50; round++) {
				CountDownLatch begins = new CountDownLatch(1);
				Future<?> subscription = thread.submit(() -> channel.subscribe(() -> {
					begins.countDown();
					return true;
				}, "member", (hint, isForAll) -> {
				}));
				begins.await();
				channel.unsubscribe();
				subscription.get(2, TimeUnit.MINUTES);
				awaitSubscribers(watch, 0);
				byte[] text = Reply.bytes("round " + round);
				assertThat(calls.<byte[]>command((connection) -> connection.echo(text))).isEqualTo(text);
			}
		}
		finally {
			thread.shutdownNow();
		}
	}

	/** Else cloned processes would ignore each other's hints. */
	@ParameterizedTest
	@EnumSource
	void eachSubscriptionHasANewSenderNameForItsOwnHints(Driver driver) throws Exception {
		ExecutorService thread = Executors.newSingleThreadExecutor();
		try (Connected connected = Connected.over(driver, this.redis.uri());
				CommandLog log = CommandLog.of(this.redis);
				RespClient watch = this.redis.client()) {
			HintChannel channel = new HintChannel(new RedisCalls(connected.template(), new KeySpace("test")));
			channel.publish(new Hint(Kind.DUE, new Partition("orders", 0)), null);
			AtomicInteger received = new AtomicInteger();
			Future<?> subscription = thread
				.submit(() -> channel.subscribe(() -> true, "member", (hint, isForAll) -> received.incrementAndGet()));
			awaitSubscribers(watch, 1);
			channel.publish(new Hint(Kind.DUE, new Partition("orders", 0)), null);
			channel.unsubscribe();
			subscription.get(2, TimeUnit.MINUTES);
			Awaitility.await().until(() -> log.count("PUBLISH") == 2);

			assertThat(log.commands()).filteredOn((command) -> command.name().equals("PUBLISH"))
				.extracting((command) -> command.arguments().get(1))
				.doesNotHaveDuplicates()
				.allMatch((hint) -> hint.endsWith(" orders 0"));
			assertThat(received).as("own hints").hasValue(0);
		}
		finally {
			thread.shutdownNow();
		}
	}

	/** Runs calls with distinct answers until the end, and checks the answers. */
	private void echo(RedisCalls calls, int other) {
		for (int i = 0; !this.ended; i++) {
			byte[] text = Reply.bytes(other + "/" + i);
			assertThat(calls.<byte[]>command((connection) -> connection.echo(text))).isEqualTo(text);
		}
	}

	private Task listen(HintChannel channel) {
		Task listener = this.tasks.task("hints", () -> {
			if (this.wanted && !channel.isSubscribed()) {
				channel.subscribe(() -> this.wanted, "member", (hint, isForAll) -> {
				});
			}
			return Pause.of(Long.MAX_VALUE);
		});
		listener.wake();
		return listener;
	}

	private static void awaitSubscribers(RespClient watch, long count) {
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.until(() -> ((List<?>) watch.call("PUBSUB", "NUMSUB", "test:hints")).get(1).equals(count));
	}

}
