package io.delayqueue.delivery;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The permits of a consumer. A message holds one permit from before its read until its
 * settlement has been accepted or refused by Redis, unless it returns the permit earlier.
 * Taking permits never blocks. Safe for use by several threads.
 */
final class Permits {

	private final int all;

	private final AtomicInteger free;

	private final AtomicInteger without = new AtomicInteger();

	private final Runnable onFree;

	private volatile int partitions = 1;

	Permits(int all, Runnable onFree) {
		this.all = all;
		this.free = new AtomicInteger(all);
		this.onFree = onFree;
	}

	/** Takes free permits, at most {@code most}, and returns the number taken. */
	int take(int most) {
		int before = this.free.getAndUpdate((now) -> now - Math.min(now, most));
		return Math.min(before, most);
	}

	/** Sets the number of partitions that share the permits. */
	void sharedBy(int partitions) {
		this.partitions = partitions;
	}

	/**
	 * Returns the most messages of one read, so that a partition whose read hangs
	 * occupies only its share of the permits.
	 */
	int share() {
		return Math.max(1, this.all / this.partitions);
	}

	void giveBack(int permits) {
		if (permits > 0) {
			this.free.addAndGet(permits);
			notifyIfNothingIsInFlight();
			this.onFree.run();
		}
	}

	/** Frees the permits of messages, which stay in flight until {@link #ended}. */
	void leave(int messages) {
		this.without.addAndGet(messages);
		giveBack(messages);
	}

	/**
	 * Frees the permit of a message, which stays in flight. Frees no permit if as many
	 * messages without a permit are in flight as the consumer has permits.
	 * @return whether the permit was freed
	 */
	boolean leaveEarly() {
		boolean leaves = this.without.getAndUpdate((now) -> (now < this.all) ? now + 1 : now) < this.all;
		if (leaves) {
			giveBack(1);
		}
		return leaves;
	}

	/** Records that the given number of messages without a permit have ended. */
	void ended(int messages) {
		this.without.addAndGet(-messages);
		notifyIfNothingIsInFlight();
	}

	/**
	 * Waits until no message is in flight, or until the timeout; returns whether none is.
	 */
	synchronized boolean awaitAllBack(Duration timeout) {
		long end = System.nanoTime() + timeout.toNanos();
		try {
			for (long left = timeout.toNanos(); taken() > 0 && left > 0; left = end - System.nanoTime()) {
				TimeUnit.NANOSECONDS.timedWait(this, left);
			}
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
		}
		return taken() == 0;
	}

	/**
	 * Returns the number of messages in flight, with and without a permit; never too low.
	 */
	int taken() {
		return this.all - this.free.get() + this.without.get();
	}

	private void notifyIfNothingIsInFlight() {
		if (taken() == 0) {
			synchronized (this) {
				notifyAll();
			}
		}
	}

}
