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

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.test.redis.CommandLog;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * The subscription to hints, and what its end means for the other calls.
 */
class HintChannelIntegrationTests {

	private static final int ROUNDS = 400;

	private static final int OTHERS = 3;

	private RedisServer redis;

	private volatile boolean wanted;

	private volatile boolean ended;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	/**
	 * The connection of a subscription may go back to a pool, from which others take it.
	 */
	@ParameterizedTest
	@EnumSource
	void theEndOfASubscriptionLeavesNothingBehindForOtherCalls(Driver driver) throws Exception {
		ExecutorService others = Executors.newFixedThreadPool(OTHERS);
		try (Connected connected = Connected.over(driver, this.redis.uri()); RespClient watch = this.redis.client()) {
			RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("test"));
			HintChannel channel = new HintChannel(calls);
			List<Future<?>> all = IntStream.range(0, OTHERS)
				.<Future<?>>mapToObj((other) -> others.submit(() -> echo(calls, other)))
				.toList();
			BackgroundLoop listener = listen(channel);
			for (int round = 0; round < ROUNDS && all.stream().noneMatch(Future::isDone); round++) {
				this.wanted = true;
				listener.wakeUp();
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
			others.shutdown();
		}
	}

	/**
	 * As where the user may not use the channel, which Redis 7 does not grant by itself.
	 */
	@ParameterizedTest
	@EnumSource
	void aSubscriptionThatIsRefusedLeavesNothingBehindForOtherCalls(Driver driver) {
		this.redis.call("ACL", "SETUSER", "limited", "on", ">secret", "~*", "+@all", "resetchannels");
		URI uri = URI.create(this.redis.uri().toString().replace("redis://", "redis://limited:secret@"));
		try (Connected connected = Connected.over(driver, uri); RespClient watch = this.redis.client()) {
			RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("test"));
			HintChannel channel = new HintChannel(calls);
			for (int round = 0; round < 50; round++) {
				assertThatException().isThrownBy(() -> channel.subscribe(() -> true, (queue, partition) -> {
				}));
				assertThat(channel.isSubscribed()).isFalse();
				channel.unsubscribe();
				byte[] said = Reply.bytes("round " + round);
				assertThat(calls.<byte[]>command((connection) -> connection.echo(said))).isEqualTo(said);
			}
			assertThat(String.valueOf(watch.text("CLIENT", "LIST")).lines().filter((line) -> line.contains("limited")))
				.hasSizeLessThan(10);
		}
	}

	@ParameterizedTest
	@EnumSource
	void anEndThatIsAskedForBeforeRedisHasConfirmedTheBeginningIsNotMissed(Driver driver) throws Exception {
		ExecutorService thread = Executors.newSingleThreadExecutor();
		try (Connected connected = Connected.over(driver, this.redis.uri()); RespClient watch = this.redis.client()) {
			RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("test"));
			HintChannel channel = new HintChannel(calls);
			for (int round = 0; round < 50; round++) {
				CountDownLatch begins = new CountDownLatch(1);
				Future<?> subscription = thread.submit(() -> channel.subscribe(() -> {
					begins.countDown();
					return true;
				}, (queue, partition) -> {
				}));
				begins.await();
				channel.unsubscribe();
				subscription.get(2, TimeUnit.MINUTES);
				awaitSubscribers(watch, 0);
				byte[] said = Reply.bytes("round " + round);
				assertThat(calls.<byte[]>command((connection) -> connection.echo(said))).isEqualTo(said);
			}
		}
		finally {
			thread.shutdownNow();
		}
	}

	/** Else clones of a process that has used it would not hear each other. */
	@ParameterizedTest
	@EnumSource
	void eachSubscriptionHasAnotherNameByWhichOwnHintsAreKnown(Driver driver) throws Exception {
		ExecutorService thread = Executors.newSingleThreadExecutor();
		try (Connected connected = Connected.over(driver, this.redis.uri());
				CommandLog log = CommandLog.of(this.redis);
				RespClient watch = this.redis.client()) {
			HintChannel channel = new HintChannel(new RedisCalls(connected.template(), new KeySpace("test")));
			channel.publish(new Partition("orders", 0));
			AtomicInteger heard = new AtomicInteger();
			Future<?> subscription = thread
				.submit(() -> channel.subscribe(() -> true, (queue, partition) -> heard.incrementAndGet()));
			awaitSubscribers(watch, 1);
			channel.publish(new Partition("orders", 0));
			channel.unsubscribe();
			subscription.get(2, TimeUnit.MINUTES);
			Awaitility.await().until(() -> log.count("PUBLISH") == 2);

			assertThat(log.commands()).filteredOn((command) -> command.name().equals("PUBLISH"))
				.extracting((command) -> command.arguments().get(1))
				.doesNotHaveDuplicates()
				.allMatch((hint) -> hint.endsWith(" orders 0"));
			assertThat(heard).as("own hints").hasValue(0);
		}
		finally {
			thread.shutdownNow();
		}
	}

	/** Asks until the end for what only it can be told. */
	private void echo(RedisCalls calls, int other) {
		for (int i = 0; !this.ended; i++) {
			byte[] said = Reply.bytes(other + "/" + i);
			assertThat(calls.<byte[]>command((connection) -> connection.echo(said))).isEqualTo(said);
		}
	}

	private BackgroundLoop listen(HintChannel channel) {
		BackgroundLoop listener = new BackgroundLoop("hints", () -> {
			if (this.wanted && !channel.isSubscribed()) {
				channel.subscribe(() -> this.wanted, (queue, partition) -> {
				});
			}
			return Long.MAX_VALUE / 4;
		});
		listener.start();
		return listener;
	}

	private static void awaitSubscribers(RespClient watch, long count) {
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.until(() -> ((List<?>) watch.call("PUBSUB", "NUMSUB", "test:hints")).get(1).equals(count));
	}

}
