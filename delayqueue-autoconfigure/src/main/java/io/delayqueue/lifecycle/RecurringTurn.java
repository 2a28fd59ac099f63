package io.delayqueue.lifecycle;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Something that has a turn again and again, on threads that it shares with others: at
 * most one timer armed, at most one turn running. After each turn it arms itself for when
 * the turn said; who asks for an earlier one gets it, also while one runs, but nobody
 * cuts a back-off short. It survives whatever a turn throws, and backs off from 50 ms to
 * 1 s while its turns fail. Safe for use by several threads; one turn happens before the
 * next.
 */
public final class RecurringTurn {

	/** How soon to try again when all threads are taken. */
	private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	// immutable

	private final BackgroundLoop.Body body;

	private final ScheduledExecutorService timer;

	private final Executor calls;

	// confined to the turn, but for its status

	private final FailureTrack track;

	// guarded by this

	private boolean stopped;

	private boolean running;

	private @Nullable Future<?> armed;

	private long armedFor;

	private boolean askedAgain;

	private long askedFor;

	private boolean resting;

	/**
	 * Creates what has no turn before one is asked for.
	 * @param timer decides when, and never runs a turn
	 * @param calls runs the turns; may refuse when it is busy
	 */
	RecurringTurn(String name, BackgroundLoop.Body body, ScheduledExecutorService timer, Executor calls) {
		this.body = body;
		this.timer = timer;
		this.calls = calls;
		this.track = new FailureTrack(name);
	}

	/**
	 * How it fares.
	 * @return its status at this moment
	 */
	public LoopStatus status() {
		return this.track.status(true);
	}

	/** Stops for good; a turn that runs is the last. Waits for no one. */
	public synchronized void stop() {
		this.stopped = true;
		disarm();
	}

	/**
	 * Asks for a turn.
	 * @param nanos when, from now, ns
	 */
	public synchronized void dueIn(long nanos) {
		long at = System.nanoTime() + nanos;
		if (this.running) {
			if (!this.askedAgain || at - this.askedFor < 0) {
				this.askedAgain = true;
				this.askedFor = at;
			}
		}
		else if (this.armed == null || (at - this.armedFor < 0 && !this.resting)) {
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
	 * By the timer, however soon: while a turn ends there may be no thread free but its
	 * own.
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
			// Nothing cuts a back-off short: else a failure could wake itself
			boolean sooner = !failed && this.askedAgain && this.askedFor - at < 0;
			this.running = false;
			this.askedAgain = false;
			this.resting = failed;
			arm(sooner ? this.askedFor : at);
		}
	}

}
