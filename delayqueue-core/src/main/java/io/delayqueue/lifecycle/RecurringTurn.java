package io.delayqueue.lifecycle;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A recurring task on shared threads. A turn is one run of the task, and at most one turn
 * runs at a time. A turn returns the wait before the next turn, which a timer starts. A
 * caller may request an earlier turn, even while a turn runs; but no request shortens the
 * wait after a failed turn. The task continues after any exception of a turn, and waits
 * 50 ms to 1 s after a failed turn. Safe for use by several threads; each turn
 * happens-before the next turn.
 */
public final class RecurringTurn {

	/** The wait before the next try to start a turn when all threads are busy. */
	private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	// immutable

	private final BackgroundLoop.Body body;

	private final ScheduledExecutorService timer;

	private final Executor calls;

	private final Consumer<RecurringTurn> onStop;

	// accessed only by the running turn, except for its status

	private final FailureTrack track;

	// guarded by this

	private boolean stopped;

	private boolean running;

	private @Nullable Future<?> armed;

	private long armedFor;

	private boolean requested;

	private long requestedFor;

	private boolean backingOff;

	/**
	 * Creates a task. The task has no turn until a caller requests it by {@link #dueIn}.
	 * @param timer starts the turns, but runs no turn itself
	 * @param calls runs the turns; may reject a turn while all its threads are busy
	 * @param onStop called when this task is stopped, to remove the task
	 */
	RecurringTurn(String name, BackgroundLoop.Body body, ScheduledExecutorService timer, Executor calls,
			Consumer<RecurringTurn> onStop) {
		this.body = body;
		this.timer = timer;
		this.calls = calls;
		this.onStop = onStop;
		this.track = new FailureTrack(name);
	}

	LoopStatus status() {
		return this.track.status(true);
	}

	/**
	 * Stops the task for good; a turn that is running is the last turn. Does not block.
	 */
	public synchronized void stop() {
		this.stopped = true;
		disarm();
		this.onStop.accept(this);
	}

	/**
	 * Requests a turn (a run of the task).
	 * @param nanos the time from now to the turn, ns
	 */
	public synchronized void dueIn(long nanos) {
		long at = System.nanoTime() + nanos;
		if (this.running) {
			if (!this.requested || at - this.requestedFor < 0) {
				this.requested = true;
				this.requestedFor = at;
			}
		}
		else if (this.armed == null || (at - this.armedFor < 0 && !this.backingOff)) {
			if (nanos > 0) {
				arm(at);
			}
			else {
				launch();
			}
		}
	}

	private synchronized boolean isStopped() {
		return this.stopped;
	}

	/**
	 * Makes the timer start the next turn, even if it is due now: the pool may have only
	 * one thread, which is still busy with the turn that is ending.
	 */
	private void arm(long at) {
		disarm();
		if (!this.stopped) {
			this.armedFor = at;
			this.armed = this.timer.schedule(this::launch, at - System.nanoTime(), TimeUnit.NANOSECONDS);
		}
	}

	private void disarm() {
		if (this.armed != null) {
			this.armed.cancel(false);
			this.armed = null;
		}
	}

	private synchronized void launch() {
		if (this.stopped || this.running) {
			return;
		}
		disarm();
		this.running = true;
		try {
			this.calls.execute(this::turn);
		}
		catch (RuntimeException | Error busy) {
			this.running = false;
			arm(System.nanoTime() + BUSY_NANOS);
		}
	}

	private void turn() {
		long waitNanos;
		boolean failed = false;
		try {
			waitNanos = this.body.run();
			if (waitNanos < 0) {
				waitNanos = -waitNanos;
			}
			else {
				this.track.succeeded();
			}
		}
		catch (Throwable failure) {
			if (isStopped()) {
				return;
			}
			failed = true;
			waitNanos = this.track.failed(failure).toNanos();
		}
		synchronized (this) {
			long at = System.nanoTime() + waitNanos;
			// A request does not shorten the wait after a failed turn, because the
			// failure itself may have caused the request
			boolean sooner = !failed && this.requested && this.requestedFor - at < 0;
			this.running = false;
			this.requested = false;
			this.backingOff = failed;
			arm(sooner ? this.requestedFor : at);
		}
	}

}
