package io.delayqueue.fault;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import org.jspecify.annotations.Nullable;

/**
 * Schedules messages one by one, on a thread of its own, until it is closed. Their delays
 * go from none to half a second.
 */
final class Load implements AutoCloseable {

	private static final int[] DELAYS = { 0, 20, 100, 500 };

	private final DelayQueueOperations queue;

	private final String name;

	private final Ledger ledger;

	private final long pauseNanos;

	private final Thread thread = new Thread(this::run, "load");

	/** Held by a call that is under way. */
	private final Object calls = new Object();

	private volatile boolean closed;

	private volatile @Nullable Throwable failure;

	Load(DelayQueueOperations queue, String name, Ledger ledger, int perSecond) {
		this.queue = queue;
		this.name = name;
		this.ledger = ledger;
		this.pauseNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
		this.thread.setDaemon(true);
		this.thread.start();
	}

	private void run() {
		try {
			schedule();
		}
		catch (Throwable broken) {
			this.failure = broken;
		}
	}

	private void schedule() {
		String prefix = UUID.randomUUID().toString().substring(0, 8);
		for (int i = 0; !this.closed; i++) {
			ScheduleRequest request = ScheduleRequest.to(this.name).delay(Duration.ofMillis(DELAYS[i % DELAYS.length]));
			synchronized (this.calls) {
				this.ledger.schedule(this.queue, request, prefix + "-" + i);
			}
			LockSupport.parkNanos(this.pauseNanos);
		}
	}

	/**
	 * Does something between two calls: what was accepted before is known, and nothing is
	 * accepted meanwhile.
	 */
	void betweenCalls(Runnable action) {
		synchronized (this.calls) {
			action.run();
		}
	}

	/**
	 * Ends after the call that is under way, and throws what has ended it before.
	 */
	@Override
	public void close() {
		this.closed = true;
		try {
			this.thread.join(Trial.LONG_ENOUGH.toMillis());
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
		}
		if (this.thread.isAlive()) {
			throw new IllegalStateException("A call to schedule does not end");
		}
		if (this.failure != null) {
			throw new IllegalStateException("The load has ended early", this.failure);
		}
	}

}
