package io.delayqueue.store;

import java.time.Duration;
import java.util.List;

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The subscription to hints, and what its end means for the other calls.
 */
class HintChannelIntegrationTests {

	private static final int ROUNDS = 30;

	private RedisServer redis;

	private volatile boolean wanted;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource
	void theEndOfASubscriptionLeavesNoReplyBehindForTheNextCall(Driver driver) {
		try (Connected connected = Connected.over(driver, this.redis.uri())) {
			RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("test"));
			HintChannel channel = new HintChannel(calls);
			BackgroundLoop listener = listen(channel);
			for (int round = 0; round < ROUNDS; round++) {
				this.wanted = true;
				listener.wakeUp();
				awaitSubscribers(1);
				this.wanted = false;
				channel.unsubscribe();
				assertRepliesAreTheirOwn(calls, "before " + round);
				awaitSubscribers(0);
				assertRepliesAreTheirOwn(calls, "after " + round);
			}
			assertThat(listener.stop(Duration.ofSeconds(10))).isTrue();
		}
	}

	private static void assertRepliesAreTheirOwn(RedisCalls calls, String what) {
		for (int i = 0; i < 3; i++) {
			byte[] said = Reply.bytes(what + "/" + i);
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

	private void awaitSubscribers(long count) {
		Awaitility.await()
			.pollInterval(Duration.ofMillis(5))
			.until(() -> ((List<?>) this.redis.call("PUBSUB", "NUMSUB", "test:hints")).get(1).equals(count));
	}

}
