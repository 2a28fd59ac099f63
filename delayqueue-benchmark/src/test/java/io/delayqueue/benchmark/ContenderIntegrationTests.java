package io.delayqueue.benchmark;

import java.time.Duration;

import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that every contender delivers the messages correctly.
 */
class ContenderIntegrationTests {

	private static final int COUNT = 300;

	@ParameterizedTest
	@EnumSource
	void everyMessageIsHandledOnceAndNotEarly(Contender contender) throws InterruptedException {
		try (RedisServer server = RedisServer.builder().start()) {
			assertThat(Burst.of(contender, Target.of(server), COUNT).perSecond()).isPositive();
		}
	}

	/** Of each kind of client. */
	@ParameterizedTest
	@EnumSource(names = { "STARTER", "REDISSON_8", "RAW", "RAW_PIPELINED" })
	void eachConnectsOverTls(Contender contender) throws InterruptedException {
		Target target = Certificate.create().start(RedisServer.builder());
		try (RedisServer server = target.server()) {
			assertThat(server.isRunning()).isTrue();
			assertThat(Burst.of(contender, target, COUNT).perSecond()).isPositive();
		}
	}

	@Test
	void aBurstThatIsTooLargeEndsAtItsLimit() throws InterruptedException {
		try (RedisServer server = RedisServer.builder().start()) {
			assertThat(Burst.perSecondWithin(Duration.ZERO, Contender.REDISSON_8, Target.of(server), COUNT))
				.isNotNegative();
			server.call("FLUSHALL");
			assertThat(Burst.perSecondWithin(Duration.ofMinutes(1), Contender.REDISSON_8, Target.of(server), COUNT))
				.isPositive();
		}
	}

	@ParameterizedTest
	@EnumSource
	void waitingMessagesAreCounted(Contender contender) throws InterruptedException {
		try (RedisServer server = RedisServer.builder().start();
				Peer peer = Target.of(server).start(contender, (payload) -> {
				})) {
			Messages.scheduleEach(peer, COUNT, 2, System.currentTimeMillis() + Messages.HOUR_MILLIS);
			assertThat(peer.waiting()).isEqualTo(COUNT);
		}
	}

}
