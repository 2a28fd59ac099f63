package io.delayqueue.delivery;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The permits of one consumer; a permit allows one message in flight. The reader takes a
 * permit before it reads a message. The permit becomes free when Redis has accepted or
 * refused the settlement of the message, or earlier, by a call of {@link #leave} or
 * {@link #leaveEarly}. Taking permits never blocks. Safe for use by several threads.
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
	 * Returns the maximum number of messages of one read: the number of permits divided
	 * by the number of partitions, so that a partition whose read hangs does not occupy
	 * the permits of other partitions.
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

	/**
	 * Frees the permits of messages. The messages count as in flight until {@link #ended}
	 * is called for them.
	 */
	void leave(int messages) {
		this.without.addAndGet(messages);
		giveBack(messages);
	}

	/**
	 * Frees the permit of a message. The message counts as in flight until {@link #ended}
	 * is called for it. Frees no permit if the number of messages in flight without a
	 * permit has reached the total number of permits.
	 * @return whether the permit was freed
	 */
	boolean leaveEarly() {
		boolean leaves = this.without.getAndUpdate((now) -> (now < this.all) ? now + 1 : now) < this.all;
		if (leaves) {
			giveBack(1);
		}
		return leaves;
	}

	/**
	 * Whether fewer than half of the messages that may be in flight without a permit are,
	 * so that nobody waits for their settlement.
	 */
	boolean mostMayLeaveEarly() {
		return this.without.get() * 2 < this.all;
	}

	/** Records that the given number of messages without a permit have ended. */
	void ended(int messages) {
		this.without.addAndGet(-messages);
		notifyIfNothingIsInFlight();
	}

	/**
	 * Waits until no message is in flight, at most for the timeout; returns whether no
	 * message is in flight.
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
	 * Returns the number of messages in flight, with and without a permit. Concurrent
	 * changes may make the number too high, but never too low.
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
