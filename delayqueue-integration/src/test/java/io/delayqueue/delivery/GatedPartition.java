package io.delayqueue.delivery;

import java.util.concurrent.atomic.AtomicBoolean;

import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.queue.Partition;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/**
 * A partition on the shared Redis, with a gate that the test closes and opens.
 */
@SuppressWarnings("NullAway.Init")
abstract class GatedPartition {

	static ActorBench shared;

	/** Whether the probe of the gate finds Redis. */
	final AtomicBoolean answers = new AtomicBoolean(true);

	final TaskPool tasks = new TaskPool();

	final RedisGate gate = new RedisGate(this.tasks, this.answers::get);

	final Partition partition = shared.partition();

	@BeforeAll
	static void startBench() {
		shared = new ActorBench(SharedRedis.get().uri());
	}

	@AfterAll
	static void stopBench() {
		shared.close();
	}

	@AfterEach
	void stopGate() {
		this.gate.close();
		this.tasks.close();
	}

	/** Closes the gate until {@link #answers} is {@code true} again. */
	void closeGate() {
		this.answers.set(false);
		this.gate.lost(new IllegalStateException("cut"));
	}

}
