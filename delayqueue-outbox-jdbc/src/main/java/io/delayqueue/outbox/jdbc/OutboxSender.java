package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;

/**
 * The thread that sends the outbox rows of this process to Redis right after their
 * commit. A caller that passes rows to this thread never waits: if 20,000 rows wait
 * already, this thread ignores further rows, and the relay of any process sends them
 * later.
 */
final class OutboxSender {

	private static final int MOST_WAITING = 20_000;

	private static final Pause IDLE = Pause.of(TimeUnit.HOURS.toNanos(1));

	private final Task task;

	private final BlockingQueue<Long> numbers = new ArrayBlockingQueue<>(MOST_WAITING);

	private final RowDelivery delivery;

	private final RedisGate gate;

	private final int batchSize;

	private final Runnable relay;

	/**
	 * Creates the sender of one process.
	 * @param delivery claims and sends rows
	 * @param gate the gate, which is closed while Redis is unreachable
	 * @param batchSize the most rows of one claim
	 * @param relay wakes the relay of this process, which sends the rows that this sender
	 * could not claim because they wait for older rows
	 * @param tasks runs the sender
	 */
	OutboxSender(RowDelivery delivery, RedisGate gate, int batchSize, Runnable relay, TaskPool tasks) {
		this.task = tasks.task("delayqueue-outbox-sender", this::sendCommitted);
		this.delivery = delivery;
		this.gate = gate;
		this.batchSize = batchSize;
		this.relay = relay;
	}

	/**
	 * Takes the numbers of committed rows and wakes the sender, which sends these rows.
	 */
	void handOver(Collection<Long> committed) {
		committed.forEach(this.numbers::offer);
		this.task.wake();
	}

	private Pause sendCommitted() {
		List<Long> taken = new ArrayList<>();
		this.numbers.drainTo(taken, this.batchSize);
		if (taken.isEmpty()) {
			return IDLE;
		}
		if (!this.gate.isOpen()) {
			// Drop the numbers: the relays find these rows in the table when Redis
			// answers again
			this.numbers.clear();
			return IDLE;
		}
		if (this.delivery.of(taken).claimed() < taken.size()) {
			this.relay.run();
		}
		return this.numbers.isEmpty() ? IDLE : Pause.of(0);
	}

	void start() {
		this.task.start();
	}

	boolean stop(Duration timeout) {
		return this.task.stop(timeout);
	}

}
