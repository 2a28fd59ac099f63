package io.delayqueue.delivery;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.lifecycle.Signals;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.Partition;

/**
 * What the stages of one consumer share about one partition. Safe for use by several
 * threads.
 */
final class PartitionState {

	/** Stands for "no read is under way". */
	static final long NOT_READING = Long.MIN_VALUE;

	private final Partition partition;

	private final AtomicInteger refused = new AtomicInteger();

	private volatile Duration visibilityTimeout;

	private volatile boolean paused;

	private volatile long pausedNanos = Signals.longAgo();

	private volatile long readingSince = NOT_READING;

	private volatile long renewedNanos = Signals.longAgo();

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
	 * Whether the partition is paused for all processes, as far as this process has seen.
	 */
	boolean isPaused() {
		return this.paused;
	}

	/**
	 * A sweep or a read has seen whether the partition is paused for all processes.
	 * @return whether that is a change
	 */
	boolean pause(boolean now) {
		if (now) {
			this.pausedNanos = System.nanoTime();
		}
		boolean changed = this.paused != now;
		this.paused = now;
		return changed;
	}

	/** Whether a call that was sent then could not see the last pause that was seen. */
	boolean isBeforePause(long sentNanos) {
		return sentNanos - this.pausedNanos <= 0;
	}

	/**
	 * When the read that is under way was sent, {@link #NOT_READING} if there is none.
	 */
	long readingSince() {
		return this.readingSince;
	}

	void reading(long sentNanos) {
		this.readingSince = sentNanos;
	}

	/** When the last renewal that succeeded for all leases was begun. */
	void renewed(long nanos) {
		this.renewedNanos = nanos;
	}

	/** Whether a whole renewal that was begun at that time or later has succeeded. */
	boolean isRenewedSince(long nanos) {
		return this.renewedNanos - nanos >= 0;
	}

	/** How many settlements wait without a permit because Redis refuses them. */
	int refused() {
		return this.refused.get();
	}

	void refuse(int settlements) {
		this.refused.addAndGet(settlements);
	}

}
