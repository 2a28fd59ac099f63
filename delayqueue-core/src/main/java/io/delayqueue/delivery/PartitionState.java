package io.delayqueue.delivery;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.delayqueue.lifecycle.Signals;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.ReadyMessages.Read;

/**
 * The state of one partition that the stages of one consumer share. Safe for use by
 * several threads.
 */
final class PartitionState {

	/** Stands for "no read is under way". */
	static final long NOT_READING = Long.MIN_VALUE;

	private final Partition partition;

	private final AtomicInteger refused = new AtomicInteger();

	private volatile Duration visibilityTimeout;

	private volatile Read.State stopped = Read.State.OPEN;

	/** Until when groups are held, by {@link System#nanoTime()}. */
	private volatile Map<String, Long> heldGroups = Map.of();

	private volatile long readingSince = NOT_READING;

	private final AtomicLong reads = new AtomicLong();

	private volatile long renewedNanos = Signals.longAgo();

	private volatile long knownNanos = Signals.longAgo();

	/** A later reader of the partition needs it, too. */
	private volatile String lastEntry = "0-0";

	private volatile long emptyAsOfNanos = Signals.longAgo();

	private volatile long notEmptyNanos = System.nanoTime() + Long.MIN_VALUE / 2;

	private volatile Runnable onMessages = () -> {
	};

	private volatile Runnable onSettled = () -> {
	};

	private volatile Runnable onRenewal = () -> {
	};

	PartitionState(Partition partition, QueueSettings settings) {
		this.partition = partition;
		this.visibilityTimeout = settings.visibilityTimeout();
	}

	Partition partition() {
		return this.partition;
	}

	/**
	 * The visibility timeout that leases are renewed for: the shorter of the configured
	 * and the stored one, because the stored one counts when messages are reclaimed.
	 */
	Duration visibilityTimeout() {
		return this.visibilityTimeout;
	}

	void visibilityTimeout(Duration visibilityTimeout) {
		this.visibilityTimeout = visibilityTimeout;
	}

	/**
	 * Whether the partition is paused or held for all processes, as far as this process
	 * has seen.
	 */
	boolean isStopped() {
		return this.stopped != Read.State.OPEN;
	}

	/** The state of the partition in the last call. */
	Read.State stopped() {
		return this.stopped;
	}

	/**
	 * A sweep or a read has seen whether the partition is paused or held for all
	 * processes.
	 * @return whether that is a change
	 */
	boolean stop(Read.State now) {
		boolean changed = this.stopped != now;
		this.stopped = now;
		return changed;
	}

	/** A call has seen until when groups are held, by {@link System#nanoTime()}. */
	void hold(Map<String, Long> groups) {
		this.heldGroups = Map.copyOf(groups);
	}

	/** A read has reported that the groups of deliveries are not held. */
	void notHeld(List<DeliveryTask> read) {
		if (!this.heldGroups.isEmpty()) {
			Map<String, Long> held = new HashMap<>(this.heldGroups);
			read.forEach((task) -> held.remove(task.group()));
			hold(held);
		}
	}

	/** Whether a delivery may not begin, as far as this process has seen. */
	boolean holds(DeliveryTask task) {
		String group = task.group();
		Long until = (group != null) ? this.heldGroups.get(group) : null;
		return isStopped() || (until != null && until - System.nanoTime() > 0);
	}

	/**
	 * When the read that is under way was sent, {@link #NOT_READING} if there is none.
	 */
	long readingSince() {
		return this.readingSince;
	}

	void reading(long sentNanos) {
		this.readingSince = sentNanos;
		this.reads.incrementAndGet();
	}

	void notReading() {
		this.readingSince = NOT_READING;
	}

	/** The number of reads that have been sent. */
	long reads() {
		return this.reads.get();
	}

	/**
	 * Another component has seen the partition empty. The time counts from its check and
	 * not from the report: otherwise a message that arrived just after the check could be
	 * missed twice.
	 */
	void empty(long asOfNanos) {
		this.emptyAsOfNanos = asOfNanos;
	}

	/** Discards the results of all checks until now, also results that arrive later. */
	void notEmpty() {
		this.notEmptyNanos = System.nanoTime();
	}

	/**
	 * The time for which the last check that found the partition empty still counts.
	 * @param nanos the time for which a check counts, ns
	 * @return the rest of that time, ns; 0 or less if it has passed
	 */
	long emptyFor(long nanos) {
		long asOf = this.emptyAsOfNanos;
		return (asOf - this.notEmptyNanos > 0) ? nanos - (System.nanoTime() - asOf) : 0;
	}

	/** Sets the wake-up for when a read has brought messages. */
	void onMessages(Runnable wakeUp) {
		this.onMessages = wakeUp;
	}

	/** A read has brought messages. */
	void messagesRead() {
		this.onMessages.run();
	}

	/** Sets the wake-up for when Redis has settled a message. */
	void onSettled(Runnable wakeUp) {
		this.onSettled = wakeUp;
	}

	/** Redis has settled a message. */
	void settled() {
		this.onSettled.run();
	}

	/** Sets the wake-up for when all leases are to be renewed at once. */
	void onRenewal(Runnable wakeUp) {
		this.onRenewal = wakeUp;
	}

	/** Requests a renewal of all leases. */
	void renewSoon() {
		this.onRenewal.run();
	}

	/** When the last renewal that succeeded for all leases was begun. */
	void renewed(long nanos) {
		this.renewedNanos = nanos;
	}

	/** Whether a whole renewal that was begun at that time or later has succeeded. */
	boolean isRenewedSince(long nanos) {
		return this.renewedNanos - nanos >= 0;
	}

	/** The last entry that this process has received. */
	String lastEntry() {
		return this.lastEntry;
	}

	void lastEntry(String entry) {
		this.lastEntry = entry;
	}

	/**
	 * The last renewal that was begun at that time has found no pending entry that this
	 * process does not hold, or has given it back.
	 */
	void known(long nanos) {
		this.knownNanos = nanos;
	}

	/** Whether all pending entries were known at that time or later. */
	boolean isKnownSince(long nanos) {
		return this.knownNanos - nanos >= 0;
	}

	/**
	 * The number of settlements that wait without a permit because Redis refuses them.
	 */
	int refused() {
		return this.refused.get();
	}

	void refuse(int settlements) {
		this.refused.addAndGet(settlements);
	}

}
