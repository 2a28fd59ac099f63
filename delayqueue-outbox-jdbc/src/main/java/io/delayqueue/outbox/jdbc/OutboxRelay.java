package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.outbox.jdbc.RowDelivery.Delivered;

/**
 * The thread that finds and sends the outbox rows that no process has sent right after
 * their commit: rows of processes that died, rows that waited for an older row, and rows
 * whose back-off has ended. Every process has one relay.
 */
final class OutboxRelay {

	private final Task task;

	private final RowDelivery delivery;

	private final RedisGate gate;

	private final int batchSize;

	private final long intervalNanos;

	private final Runnable redisAnswers = this::wakeUp;

	OutboxRelay(RowDelivery delivery, RedisGate gate, int batchSize, Duration interval, TaskPool tasks) {
		this.task = tasks.task("delayqueue-outbox-relay", this::sendDue);
		this.delivery = delivery;
		this.gate = gate;
		this.batchSize = batchSize;
		this.intervalNanos = interval.toNanos();
	}

	private Pause sendDue() {
		if (!this.gate.isOpen()) {
			return Pause.untried(this.intervalNanos);
		}
		Delivered delivered = this.delivery.due(this.batchSize);
		boolean mayHaveMore = delivered.claimed() >= this.batchSize || delivered.finished() > 0;
		// Shorten the interval between two queries by up to a fifth at random, so that
		// processes do not query the table at the same time
		return Pause.of(mayHaveMore ? 0
				: this.intervalNanos - ThreadLocalRandom.current().nextLong(this.intervalNanos / 5 + 1));
	}

	void wakeUp() {
		this.task.wake();
	}

	void start() {
		this.gate.onOpen(this.redisAnswers);
		this.task.start();
	}

	boolean stop(Duration timeout) {
		this.gate.forget(this.redisAnswers);
		return this.task.stop(timeout);
	}

}
