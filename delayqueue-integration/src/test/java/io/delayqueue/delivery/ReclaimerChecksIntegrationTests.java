package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.queue.Partition;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the reclaimer checks for silent consumers, and when it does not.
 */
@Tag("slow")
class ReclaimerChecksIntegrationTests extends ReclaimedPartition {

	@Test
	void partitionReportedEmptyIsNotCheckedUntilMessageIsRead() {
		PartitionState state = TestActors.first(state(this.partition));
		this.reclaimer.checkNow();
		// The second check follows the first one soon
		Awaitility.await().until(() -> limits().size() == 2);

		state.visibilityTimeout(Duration.ofHours(1));
		state.empty(System.nanoTime());
		this.reclaimer.checkNow();
		awaitChecksOfAnother();
		assertThat(limits()).hasSize(2);

		state.messagesRead();

		Awaitility.await().until(() -> limits().size() == 3);
	}

	@Test
	void reclaimerDoesNotCheckWhileGateIsClosed() {
		closeGate();
		this.reclaimer.checkNow();
		this.reclaimer.checkNow();
		awaitChecksOfAnother();
		assertThat(limits()).isEmpty();

		this.answers.set(true);
		Awaitility.await().until(this.gate::isOpen);
		this.reclaimer.checkNow();

		Awaitility.await().until(() -> limits().size() == 1);
	}

	@Test
	void unreachableRedisClosesGateAndChecksContinueAfterwards() {
		try (RedisServer server = RedisServer.builder().start();
				ActorBench bench = new ActorBench(server.uri());
				RedisGate probing = new RedisGate(this.tasks, bench.calls()::answers)) {
			Partition orders = bench.partition();
			Reclaimer surviving = reclaimer(bench, orders, 3, probing);
			surviving.checkNow();
			Awaitility.await().until(() -> bench.scripts("reclaim", orders).size() == 1);

			server.kill();
			surviving.checkNow();
			Awaitility.await().until(() -> !probing.isOpen());
			server.start();
			Awaitility.await().until(probing::isOpen);
			bench.schedule(orders, "m", Duration.ZERO);
			bench.take(orders, "silent");
			LeaseRenewer renewing = leaseRenewer(bench, orders, probing);
			renew(orders, renewing);

			Awaitility.await().until(() -> !this.reclaimed.isEmpty());
			surviving.stop();
			renewing.stop();
		}
	}

	@Test
	void reclaimerDoesNotCheckAfterStop() {
		this.reclaimer.checkNow();
		Awaitility.await().until(() -> limits().size() == 1);

		this.reclaimer.stop();
		this.reclaimer.checkNow();

		awaitChecksOfAnother();
		assertThat(limits()).hasSize(1);
	}

	private void awaitChecksOfAnother() {
		Partition other = shared.partition();
		Reclaimer another = reclaimer(shared, other, 3, new RedisGate(this.tasks, null));
		another.checkNow();
		for (int i = 1; i <= 5; i++) {
			int checks = i;
			Awaitility.await().until(() -> shared.scripts("reclaim", other).size() >= checks);
			another.checkNow();
		}
		another.stop();
	}

}
