package io.delayqueue.sweep;

import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RecurringTurn;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.Partition;
import io.delayqueue.store.StoreException;

/**
 * The sweeping of one partition. After each turn the next one is for the next due time or
 * after the interval, whichever is earlier. While it has nothing to do it is looked at
 * together with others instead.
 */
final class PartitionSweep {

	/** So many full batches in a turn; then the others have theirs. */
	private static final int BATCHES_OF_A_TURN = 20;

	/** How soon to look again when the stream was full; doubled while it stays full. */
	private static final long FULL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private static final long LONG_FULL_NANOS = TimeUnit.MILLISECONDS.toNanos(160);

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

	private long fullNanos = FULL_NANOS;

	/** Until when Redis is left to others, also if there are signals. */
	private long restUntil = System.nanoTime();

	/** The group behind which to look for parked messages. */
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

	/** Whether it has been told to stop; a turn may still run. */
	boolean isStopped() {
		return this.stopped;
	}

	/** Asks for a turn, so many ns from now. */
	void dueIn(long nanos) {
		this.turn.dueIn(nanos);
	}

	private long turn() {
		if (!this.tools.gate().isOpen()) {
			return BackgroundLoop.untried(interval());
		}
		long rest = this.restUntil - System.nanoTime();
		if (rest > 0) {
			return rest;
		}
		this.idleCheck.leave(this);
		try {
			return sweep();
		}
		catch (StoreException failure) {
			if (failure.isRedisLost()) {
				this.tools.gate().lost(failure);
			}
			if (failure.isLayoutForeign()) {
				return BackgroundLoop.untried(interval());
			}
			throw failure;
		}
	}

	/** Sweeps until nothing is due; says how long until there may be something. */
	private long sweep() {
		for (int batch = 0; batch < BATCHES_OF_A_TURN; batch++) {
			if (!this.tools.gate().isOpen()) {
				return interval();
			}
			long asked = System.nanoTime();
			Swept swept = this.tools.due().sweep(this.partition, this.limits, this.behind);
			long took = System.nanoTime() - asked;
			this.behind = swept.behind();
			if (swept.moved() > 0) {
				this.tools.observer().swept(this.partition.queue(), swept.moved());
			}
			this.tools.signals().paused(this.partition.queue(), this.partition.number(), swept.paused());
			if (swept.lag() > 0 && !swept.paused()) {
				this.tools.signals().ready(this.partition.queue(), this.partition.number());
			}
			if (swept.isGroupBacklog()) {
				return rest(swept, Math.min(took, LONGEST_REST_NANOS));
			}
			if (swept.moved() + swept.parked() < this.limits.batchSize() && !swept.more()) {
				return wait(swept, took);
			}
		}
		return 0;
	}

	private long wait(Swept swept, long took) {
		long interval = interval();
		if (swept.paused()) {
			return interval;
		}
		long wait = (swept.nextDueMillis() < 0) ? Long.MAX_VALUE : untilDue(swept);
		if (wait > interval && swept.lag() == 0 && this.idleCheck.join(this)) {
			return Math.min(wait, SweepSettings.spread(Signals.LONGEST_QUIET));
		}
		if (wait > 0) {
			// From when it was asked: the next call needs about as long to get there
			return Math.min(Math.max(1, wait - took), interval);
		}
		this.fullNanos = (swept.moved() + swept.parked() > 0) ? FULL_NANOS
				: Math.min(2 * this.fullNanos, LONG_FULL_NANOS);
		return this.fullNanos;
	}

	/**
	 * Nobody waits for the backlog of a group to be set aside: others may have as much of
	 * Redis as that, but who is due meanwhile does not wait for the end of it.
	 */
	private long rest(Swept swept, long nanos) {
		long rest = (swept.nextDueMillis() < 0) ? nanos : Math.min(nanos, untilDue(swept));
		this.restUntil = System.nanoTime() + rest;
		return rest;
	}

	private static long untilDue(Swept swept) {
		return TimeUnit.MICROSECONDS.toNanos(swept.nextDueMillis() * 1000 - swept.nowMicros());
	}

	private long interval() {
		return SweepSettings.spread(this.tools.settings().interval());
	}

}
