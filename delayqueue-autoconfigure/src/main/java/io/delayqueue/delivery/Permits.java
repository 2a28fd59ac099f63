package io.delayqueue.delivery;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Room for messages in flight: each takes one place, from before it is read until it is
 * settled. Safe for use by several threads; nobody waits for a place here.
 */
final class Permits {

	private final int all;

	private final AtomicInteger free;

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
			if (this.free.addAndGet(permits) == this.all) {
				synchronized (this) {
					notifyAll();
				}
			}
			this.onFree.run();
		}
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

	int taken() {
		return this.all - this.free.get();
	}

}
