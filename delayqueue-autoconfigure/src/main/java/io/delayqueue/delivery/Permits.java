package io.delayqueue.delivery;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Room for messages in flight: each takes one place, from before it is read until it is
 * settled or refused, or goes on without a place. Safe for use by several threads; nobody
 * waits for a place here.
 */
final class Permits {

	private final int all;

	private final AtomicInteger free;

	private final AtomicInteger without = new AtomicInteger();

	private final Runnable onFree;

	Permits(int all, Runnable onFree) {
		this.all = all;
		this.free = new AtomicInteger(all);
		this.onFree = onFree;
	}

	/** Takes as many as there are, but no more than so many; 0 if there are none. */
	int take(int most) {
		int before = this.free.getAndUpdate((now) -> now - Math.min(now, most));
		return Math.min(before, most);
	}

	void giveBack(int permits) {
		if (permits > 0) {
			this.free.addAndGet(permits);
			notifyIfNothingIsInFlight();
			this.onFree.run();
		}
	}

	/** So many messages go on without their places, and are counted until they end. */
	void leave(int messages) {
		this.without.addAndGet(messages);
		giveBack(messages);
	}

	/**
	 * A message goes on without its place, unless as many do as there are places.
	 * @return whether it does
	 */
	boolean leaveEarly() {
		boolean leaves = this.without.getAndUpdate((now) -> (now < this.all) ? now + 1 : now) < this.all;
		if (leaves) {
			giveBack(1);
		}
		return leaves;
	}

	/** So many messages that had left their places have ended. */
	void ended(int messages) {
		this.without.addAndGet(-messages);
		notifyIfNothingIsInFlight();
	}

	/** Waits until nothing is in flight. */
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

	/** How many messages are in flight, with and without a place; never too few. */
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
