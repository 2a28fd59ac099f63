package io.delayqueue.test;

import java.util.concurrent.atomic.AtomicLong;

/** How far the time of the messages is ahead of Redis's own. */
final class TimeShift {

	private final AtomicLong millis = new AtomicLong();

	long millis() {
		return this.millis.get();
	}

	void add(long millis) {
		this.millis.addAndGet(millis);
	}

	void reset() {
		this.millis.set(0);
	}

}
