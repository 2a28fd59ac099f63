package io.delayqueue.fleet;

import java.util.UUID;
import java.util.concurrent.CyclicBarrier;

import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.engine.TestEngines;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.queue.Epochs;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Members;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which queues a process consumes as a member.
 */
class MembershipIntegrationTests {

	private static final int ROUNDS = 50_000;

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	@Test
	void queueWhoseConsumerStartsWhileTheLastOtherConsumerStopsIsConsumed() throws Exception {
		DelayQueueEngine engine = this.engines.engine("membership-" + UUID.randomUUID(),
				(queue) -> TestEngines.settings(queue, 1));
		RedisCalls calls = engine.calls();
		TaskPool tasks = new TaskPool();
		RedisGate closed = new RedisGate(tasks, () -> false);
		closed.lost(new IllegalStateException("cut"));
		Membership membership = new Membership("tested", true, new Members(calls), new QueueDirectory(calls),
				new HintChannel(calls), new Signals(), closed, tasks);
		CyclicBarrier barrier = new CyclicBarrier(2);
		Thread stopping = new Thread(() -> {
			for (int round = 0; round < ROUNDS; round++) {
				await(barrier);
				membership.notConsuming("stopping");
				await(barrier);
			}
		});
		stopping.setDaemon(true);
		stopping.start();
		int lost = 0;
		for (int round = 0; round < ROUNDS; round++) {
			membership.consuming(Epochs.first("stopping", 1));
			await(barrier);
			membership.consuming(Epochs.first("starting", 1));
			await(barrier);
			membership.consumes("starting");
			lost += (membership.epochs("starting") != null) ? 0 : 1;
			membership.notConsuming("starting");
		}
		stopping.join();
		closed.close();
		tasks.close();

		assertThat(lost).isZero();
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await();
		}
		catch (Exception failure) {
			throw new IllegalStateException(failure);
		}
	}

}
