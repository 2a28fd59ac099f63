package io.delayqueue.test;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The faults to inject into the next deliveries of a queue. */
final class Faults {

	private final Queue<Supplier<? extends Throwable>> failures = new ConcurrentLinkedQueue<>();

	private final AtomicInteger leases = new AtomicInteger();

	void failNext(int times, Supplier<? extends Throwable> failure) {
		for (int i = 0; i < times; i++) {
			this.failures.add(failure);
		}
	}

	void loseNextLeases(int times) {
		this.leases.addAndGet(times);
	}

	/** Throws the next injected failure, if there is one. */
	void fail() throws Throwable {
		Supplier<? extends Throwable> failure = this.failures.poll();
		if (failure != null) {
			throw failure.get();
		}
	}

	boolean takesLease() {
		return this.leases.getAndUpdate((left) -> Math.max(0, left - 1)) > 0;
	}

}
