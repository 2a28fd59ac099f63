package io.delayqueue.maintain;

import java.time.Duration;

import io.delayqueue.fleet.Wakeups;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.observe.RepairReport;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Repairs;
import io.delayqueue.store.Repairs.Page;
import io.delayqueue.store.Repairs.Position;
import org.jspecify.annotations.Nullable;

/**
 * The repair of one partition, page by page in several runs of the maintenance. A repair
 * begins on request, and once in each interval. Used only by the maintenance of the
 * partition, except {@link #request}.
 */
final class PartitionRepair {

	/**
	 * The most pages of a repair in one run. After this number of pages the repair pauses
	 * for three times as long as the pages took.
	 */
	private static final int PAGES_OF_A_TURN = 20;

	private static final int REST = 3;

	private final Partition partition;

	private final Duration interval;

	private final Repairs repairs;

	private final Wakeups wakeups;

	private final QueueObserver observer;

	private final RepairReport report;

	private volatile boolean requested = true;

	private @Nullable Position position;

	private long nextNanos;

	PartitionRepair(Partition partition, Duration interval, Repairs repairs, Wakeups wakeups, QueueObserver observer) {
		this.partition = partition;
		this.interval = interval;
		this.repairs = repairs;
		this.wakeups = wakeups;
		this.observer = observer;
		this.report = new RepairReport(partition);
	}

	/** Requests a repair, which begins at the next run of the maintenance. */
	void request() {
		this.requested = true;
	}

	/** Whether a repair of the partition is under way, or begins now. */
	boolean isDue() {
		if (this.position == null && (this.requested || System.nanoTime() - this.nextNanos >= 0)) {
			postpone();
			this.position = Position.BEGIN;
		}
		return this.position != null;
	}

	/** Ends a repair that is under way, and plans the next repair after the interval. */
	void postpone() {
		this.position = null;
		this.requested = false;
		this.nextNanos = System.nanoTime() + Maintainer.jittered(this.interval);
	}

	/** Returns the time until the next repair of the partition, ns, 1 or more. */
	long leftNanos() {
		return Math.max(1, this.nextNanos - System.nanoTime());
	}

	/**
	 * Checks the next pages of the partition's messages, and repairs their locations.
	 * @return the time until the repair must continue, ns; 0 if the repair has ended
	 */
	long repairPages() {
		long began = System.nanoTime();
		Position next = (this.position != null) ? this.position : Position.BEGIN;
		for (int page = 0; page < PAGES_OF_A_TURN && !next.isEnd(); page++) {
			Page done = this.repairs.repair(this.partition, next);
			next = done.next();
			if (this.report.add(done.repaired(), this.observer)) {
				this.wakeups.due(this.partition, 0);
			}
		}
		this.position = next.isEnd() ? null : next;
		return next.isEnd() ? 0 : Math.max(1, REST * (System.nanoTime() - began));
	}

	/**
	 * Logs what the repair has changed.
	 * @return whether the repair has changed anything
	 */
	boolean report() {
		return this.report.log();
	}

	/**
	 * Ends a repair after a failed call to Redis: another Redis server may have taken
	 * over, for which the position of the repair has no meaning. The next run of the
	 * maintenance begins another repair.
	 */
	void abort() {
		this.position = null;
		this.requested = true;
		this.report.log();
	}

}
