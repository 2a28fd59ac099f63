package io.delayqueue.delivery;

import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.delayqueue.fleet.Fleet;
import io.delayqueue.fleet.PartitionWatch;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.SweepSettings;
import io.delayqueue.store.Due;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.ReadyMessages.Read.State;

/**
 * Decides when a reader sweeps its partition (moves due messages to the stream): when the
 * next message is due, when a signal or a hint reports a message that is due earlier, and
 * at the latest after the configured interval, because a signal or a hint may be lost.
 * {@link PartitionWatch} checks idle partitions instead, many in one call. Only the
 * process that has the turn sweeps. The turn passes to another process every second.
 */
final class PartitionSweep {

	/** The first wait while the stream is full; each further wait is twice as long. */
	private static final long FULL_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private static final long LONGEST_FULL_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(160);

	private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

	/** A sweep is sent at most this long before the due time of the next message. */
	private static final long LONGEST_LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	/** The wait before a check whether the notified members have taken the messages. */
	private static final long LEFT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	/** A layout of another library version is checked again after at least this time. */
	private static final long FOREIGN_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** The time after which a hint to another member counts as lost. */
	private static final long NOTIFIED_NANOS = TimeUnit.SECONDS.toNanos(1);

	// immutable

	private final Partition partition;

	private final DueMessages due;

	private final Fleet fleet;

	private final Wakeups wakeups;

	private final QueueObserver observer;

	private final PartitionWatch watch;

	private final SweepSettings settings;

	private final SweepLimits limits;

	private final boolean areGroupsRated;

	private final Grants grants;

	/**
	 * The interval at which the owner (the process that maintains the partition) checks
	 * an idle partition while other processes have the turn to sweep, ns.
	 */
	private final long ownersNanos;

	// guarded by this

	private long plannedAt = System.nanoTime();

	// accessed only by the task of the reader

	private long fullWaitNanos = FULL_WAIT_NANOS;

	/** The time before which this process does not sweep, even on a signal. */
	private long restUntil = System.nanoTime();

	/** The group after which the next sweep continues its search for parked messages. */
	private String behind = "";

	/**
	 * Whether the partition has the layout of another library version; then each process
	 * checks the layout, not only the process that has the turn to sweep.
	 */
	private boolean isForeign;

	/** How many other members were last notified of ready messages, and when. */
	private int notified;

	private long notifiedNanos;

	PartitionSweep(Partition partition, QueueSettings queue, DueMessages due, Grants grants, Fleet fleet,
			PartitionWatch watch, Wakeups wakeups, QueueObserver observer) {
		this.grants = grants;
		this.partition = partition;
		this.due = due;
		this.fleet = fleet;
		this.watch = watch;
		this.wakeups = wakeups;
		this.observer = observer;
		this.settings = watch.settings();
		this.limits = SweepLimits.of(this.settings.batchSize(), this.settings.highWaterMark(queue), queue);
		this.areGroupsRated = queue.groups().areRated();
		this.ownersNanos = Reclaimer.emptyNanos(queue.visibilityTimeout()) / 5 * 3;
	}

	/**
	 * Requests a sweep of the partition.
	 * @param nanos the time from now until the sweep, ns
	 */
	synchronized void dueIn(long nanos) {
		long at = System.nanoTime() + nanos;
		if (at - this.plannedAt < 0) {
			this.plannedAt = at;
		}
	}

	/** Returns the time until the next sweep, ns; 0 or less if the sweep is due. */
	synchronized long waitNanos() {
		return this.plannedAt - System.nanoTime();
	}

	/** Whether this process sweeps the partition now; if so, the caller must sweep. */
	boolean isDue() {
		if (waitNanos() > 0) {
			return false;
		}
		// Plan the next sweep before the checks and the call, so that a sweep requested
		// from now on still takes place after the call
		replan();
		long rest = this.restUntil - System.nanoTime();
		if (rest > 0) {
			dueIn(rest);
			return false;
		}
		if (!maySweep()) {
			if (!this.watch.join(this.partition, this.ownersNanos)) {
				dueIn(nextCheckNanos());
			}
			// The turn may have passed to this process just before the next check was
			// planned: then that check would come a whole turn too late
			if (!maySweep()) {
				return false;
			}
		}
		this.watch.leave(this.partition);
		return true;
	}

	private boolean maySweep() {
		return this.isForeign || this.fleet.maySweep(this.partition);
	}

	/**
	 * Sweeps the partition and reads ready messages in one call, and plans the next
	 * sweep.
	 * @param consumer the name of the consumer
	 * @param count the most messages to read
	 */
	Swept sweep(String consumer, int count) {
		try {
			long askedNanos = System.nanoTime();
			SweepLimits limits = movesOnlyDelivered() ? this.limits.forDelivery(count) : this.limits;
			Swept swept = this.due.sweep(this.partition, limits, this.behind, consumer, count, this.grants.allowance());
			this.behind = swept.behind();
			if (swept.moved() > 0) {
				this.observer.swept(this.partition.queue(), swept.moved());
			}
			dueIn(waitAfter(swept, count, System.nanoTime() - askedNanos));
			return swept;
		}
		catch (RuntimeException failure) {
			dueIn(0);
			throw failure;
		}
	}

	/**
	 * Whether a sweep moves only as many messages as the same call delivers. This is so
	 * if the queue or its groups have limits: then no message may wait in the stream.
	 */
	boolean movesOnlyDelivered() {
		return this.areGroupsRated || this.grants.areNeeded();
	}

	/** Returns the grants that permit the reader to read messages. */
	Grants grants() {
		return this.grants;
	}

	/** Plans a check, because the partition has the layout of another library version. */
	void foreign() {
		this.isForeign = true;
		replan();
		dueIn(Math.max(this.settings.spreadInterval(), FOREIGN_NANOS));
	}

	/** Lets this process take turns to sweep, because a call to Redis has succeeded. */
	void reached() {
		this.isForeign = false;
		this.fleet.consumes(this.partition.queue());
	}

	/**
	 * Returns whether a sweep has left ready messages in the stream. If so, this method
	 * notifies as many other members (consuming processes) as are needed to read these
	 * messages. If a sweep leaves messages again within a second, notifies twice as many
	 * members; a second later begins again with the first members, because hints may be
	 * lost.
	 * @param mostOfARead the most messages that a member reads at once
	 */
	boolean shareRemainder(Swept swept, int mostOfARead) {
		long left = (movesOnlyDelivered() && untilDue(swept) == 0) ? Math.max(1, swept.lag()) : swept.lag();
		if (left == 0 || swept.read().isStopped()) {
			this.notified = 0;
			return false;
		}
		long now = System.nanoTime();
		if (this.notified == 0 || now - this.notifiedNanos > NOTIFIED_NANOS || swept.moved() >= left) {
			this.notified = 0;
			this.notifiedNanos = now;
		}
		int needed = Math.toIntExact(Math.min(Integer.MAX_VALUE / 2, (left + mostOfARead - 1) / mostOfARead));
		int wanted = Math.max(needed, 2 * this.notified);
		this.notified = this.wakeups.ready(this.partition, this.notified, wanted);
		if (this.notified >= wanted) {
			dueIn(LEFT_NANOS);
		}
		return true;
	}

	/** Replaces all planned sweeps by one sweep in about a minute. */
	private synchronized void replan() {
		this.plannedAt = System.nanoTime() + SweepSettings.spread(Signals.LONGEST_QUIET);
	}

	private long nextCheckNanos() {
		return this.fleet.nextCheckNanos(Set.of(this.partition), this.settings.spreadInterval());
	}

	private long waitAfter(Swept swept, int count, long tookNanos) {
		if (swept.isGroupBacklog()) {
			return restAfter(swept, Math.min(tookNanos, LONGEST_REST_NANOS));
		}
		boolean isFull = movesOnlyDelivered() ? count > 0 && swept.moved() >= count
				: swept.moved() + swept.parked() >= this.limits.batchSize();
		if (isFull || swept.more()) {
			return 0;
		}
		long interval = nextCheckNanos();
		if (swept.read().state() == State.PAUSED) {
			return interval;
		}
		if (swept.read().state() == State.HELD) {
			return Math.min(interval, Math.max(1, untilDue(swept)));
		}
		long wait = untilDue(swept);
		if (wait > interval && swept.lag() == 0 && this.watch.join(this.partition, this.ownersNanos)) {
			return Math.min(wait, Signals.LONGEST_QUIET.toNanos());
		}
		if (wait > 0) {
			// Send the next sweep early by the duration of this call, but by 1 ms at
			// most: a slow call says little about the next call
			return Math.min(Math.max(1, wait - Math.min(tookNanos, LONGEST_LEAD_NANOS)), interval);
		}
		if (movesOnlyDelivered() && count == 0) {
			// A permit that becomes free causes the next sweep
			return interval;
		}
		this.fullWaitNanos = (swept.moved() + swept.parked() > 0) ? FULL_WAIT_NANOS
				: Math.min(2 * this.fullWaitNanos, LONGEST_FULL_WAIT_NANOS);
		return this.fullWaitNanos;
	}

	/**
	 * After parking a large backlog, yields Redis for as long as the call took, but never
	 * past the next due time.
	 */
	private long restAfter(Swept swept, long nanos) {
		long rest = Math.min(nanos, untilDue(swept));
		this.restUntil = System.nanoTime() + rest;
		return rest;
	}

	private static long untilDue(Swept swept) {
		return (swept.nextDueMillis() < 0) ? Long.MAX_VALUE
				: Due.leftNanos(swept.nextDueMillis(), swept.read().nowMicros());
	}

}
