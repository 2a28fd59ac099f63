package io.delayqueue.sweep;

import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RecurringTurn;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.store.Due;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.Partition;

/**
 * Sweeps one partition. After each turn the next one is at the next due time or after the
 * interval, whichever is earlier. An idle partition is checked together with other idle
 * ones instead.
 */
final class PartitionSweep {

	/** The most full batches in a turn; then other partitions get a turn. */
	private static final int BATCHES_OF_A_TURN = 20;

	/**
	 * The wait before the next sweep when the stream was full; doubled while it stays
	 * full.
	 */
	private static final long FULL_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private static final long LONGEST_FULL_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(160);

	private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

	// immutable

	private final Partition partition;

	private final SweepLimits limits;

	private final Sweeper.Tools tools;

	private final IdleCheck idleCheck;

	private final RecurringTurn turn;

	// shared and safe

	private volatile boolean stopped;

	// confined to the turn

	private long fullWaitNanos = FULL_WAIT_NANOS;

	/** The time until when this sweep makes no calls, even if there are signals. */
	private long restUntil = System.nanoTime();

	/** The group after which the search for parked messages continues. */
	private String behind = "";

	PartitionSweep(Partition partition, SweepLimits limits, Sweeper.Tools tools, IdleCheck idleCheck) {
		this.partition = partition;
		this.limits = limits;
		this.tools = tools;
		this.idleCheck = idleCheck;
		this.turn = tools.threads().turn("The sweep of partition " + partition, this::turn);
	}

	Partition partition() {
		return this.partition;
	}

	LoopStatus status() {
		return this.turn.status();
	}

	void stop() {
		this.stopped = true;
		this.turn.stop();
		this.idleCheck.leave(this);
	}

	/** Whether the sweep was stopped; a turn may still run. */
	boolean isStopped() {
		return this.stopped;
	}

	/**
	 * Requests a turn.
	 * @param nanos the time from now, ns
	 */
	void dueIn(long nanos) {
		this.turn.dueIn(nanos);
	}

	private long turn() {
		return this.tools.gate().turn(() -> {
			long rest = this.restUntil - System.nanoTime();
			if (rest > 0) {
				return rest;
			}
			this.idleCheck.leave(this);
			return sweep();
		}, this::interval);
	}

	/** Sweeps until nothing is due; returns the time until messages may be due, ns. */
	private long sweep() {
		for (int batch = 0; batch < BATCHES_OF_A_TURN; batch++) {
			if (!this.tools.gate().isOpen()) {
				return interval();
			}
			long askedNanos = System.nanoTime();
			Swept swept = this.tools.due().sweep(this.partition, this.limits, this.behind);
			long tookNanos = System.nanoTime() - askedNanos;
			this.behind = swept.behind();
			if (swept.moved() > 0) {
				this.tools.observer().swept(this.partition.queue(), swept.moved());
			}
			this.tools.signals().paused(this.partition.queue(), this.partition.number(), swept.paused());
			if (swept.lag() > 0 && !swept.paused()) {
				this.tools.signals().ready(this.partition.queue(), this.partition.number());
			}
			if (swept.isGroupBacklog()) {
				return rest(swept, Math.min(tookNanos, LONGEST_REST_NANOS));
			}
			if (swept.moved() + swept.parked() < this.limits.batchSize() && !swept.more()) {
				return wait(swept, tookNanos);
			}
		}
		return 0;
	}

	private long wait(Swept swept, long tookNanos) {
		long interval = interval();
		if (swept.paused()) {
			return interval;
		}
		long wait = (swept.nextDueMillis() < 0) ? Long.MAX_VALUE : untilDue(swept);
		if (wait > interval && swept.lag() == 0 && this.idleCheck.join(this)) {
			return Math.min(wait, SweepSettings.spread(Signals.LONGEST_QUIET));
		}
		if (wait > 0) {
			// Counted from the begin of the call: the next call takes about as long
			return Math.min(Math.max(1, wait - tookNanos), interval);
		}
		this.fullWaitNanos = (swept.moved() + swept.parked() > 0) ? FULL_WAIT_NANOS
				: Math.min(2 * this.fullWaitNanos, LONGEST_FULL_WAIT_NANOS);
		return this.fullWaitNanos;
	}

	/**
	 * After parking a large backlog, yields Redis for as long as the call took, but never
	 * past the next due time.
	 */
	private long rest(Swept swept, long nanos) {
		long rest = (swept.nextDueMillis() < 0) ? nanos : Math.min(nanos, untilDue(swept));
		this.restUntil = System.nanoTime() + rest;
		return rest;
	}

	private static long untilDue(Swept swept) {
		return Due.leftNanos(swept.nextDueMillis(), swept.nowMicros());
	}

	private long interval() {
		return SweepSettings.spread(this.tools.settings().interval());
	}

}
