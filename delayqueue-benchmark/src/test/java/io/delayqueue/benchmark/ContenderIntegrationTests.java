package io.delayqueue.benchmark;

import java.time.Duration;

import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Checks that every contender delivers the messages correctly. BullMQ is not among them,
 * because the build needs no Node.js.
 */
@Tag("slow")
class ContenderIntegrationTests {

	private static final int COUNT = 300;

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "BULLMQ")
	void everyMessageIsHandledOnceAndNotEarly(Contender contender) throws InterruptedException {
		try (RedisServer server = RedisServer.builder().start()) {
			deliver(contender, Target.of(server));
		}
	}

	/** Of each kind of client. */
	@ParameterizedTest
	@EnumSource(names = { "STARTER", "REDISSON_8", "RAW", "RAW_PIPELINED" })
	void eachConnectsOverTls(Contender contender) throws InterruptedException {
		Target target = Certificate.create().start(RedisServer.builder());
		try (RedisServer server = target.server()) {
			assertThat(server.isRunning()).isTrue();
			deliver(contender, target);
		}
	}

	/**
	 * Measures nothing, so that the messages may also be due before all of them are
	 * scheduled.
	 */
	private static void deliver(Contender contender, Target target) throws InterruptedException {
		Ledger ledger = new Ledger(COUNT);
		try (Peer peer = target.start(contender, ledger::handle)) {
			Messages.scheduleAll(peer, 0, COUNT, System.currentTimeMillis() + 2000);
			ledger.await(Duration.ofMinutes(2));
			await().until(() -> peer.waiting() == 0);
			ledger.check();
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
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "BULLMQ")
	void waitingMessagesAreCounted(Contender contender) throws InterruptedException {
		try (RedisServer server = RedisServer.builder().start();
				Peer peer = Target.of(server).start(contender, (payload) -> {
				})) {
			Messages.scheduleEach(peer, COUNT, 2, System.currentTimeMillis() + Messages.HOUR_MILLIS);
			assertThat(peer.waiting()).isEqualTo(COUNT);
		}
	}

}
