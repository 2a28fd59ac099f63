package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;

import io.delayqueue.queue.DaemonThreads;
import org.jspecify.annotations.Nullable;

/**
 * The loop of every background thread: runs a body repeatedly. After each run the loop
 * waits for the time that the body returned, or until a wake-up. The loop continues after
 * any exception of the body, waits 50 ms to 1 s after a failed run, and can be started
 * again after it was stopped. Safe for use by several threads.
 *
 * <p>
 * A wake-up that arrives while the body runs is not lost: after this run the body runs
 * once more.
 *
 * <p>
 * A loop of {@link TurnThreads} gives its thread back to the pool after a second without
 * a run, and takes a thread of the pool for its next run. Each run of the body
 * happens-before the next run.
 */
public final class BackgroundLoop {

	// immutable

	private final String name;

	private final Body body;

	/** The shared threads, {@code null} for a loop with a thread of its own. */
	private final @Nullable Shared shared;

	/** Creates the thread of a loop that has its own. */
	private final ThreadFactory ownThreads;

	// shared and safe

	private final FailureTrack track;

	// shared, guarded by this

	private @Nullable LoopRun current;

	/**
	 * Creates a loop with a daemon thread of its own; {@link #start} starts the loop.
	 * @param name the thread's name
	 * @param body the code to run
	 */
	public BackgroundLoop(String name, Body body) {
		this(name, body, null);
	}

	BackgroundLoop(String name, Body body, @Nullable Shared shared) {
		this.name = name;
		this.body = body;
		this.shared = shared;
		this.ownThreads = new DaemonThreads(name);
		this.track = new FailureTrack(name);
	}

	/**
	 * The threads that several loops share.
	 *
	 * @param timer wakes the loops that have no thread
	 * @param threads runs the loops; must be able to give each loop a thread
	 * @param lingerNanos the time for which a loop that waits keeps its thread, ns
	 */
	record Shared(ScheduledExecutorService timer, Executor threads, long lingerNanos) {
	}

	/** The code that a loop runs. */
	@FunctionalInterface
	public interface Body {

		/**
		 * Runs the code once.
		 * @return the longest wait before the next run, ns; the value of {@link #untried}
		 * if the body could not begin its work
		 * @throws Exception if the run failed: the loop backs off and continues
		 */
		long run() throws Exception;

	}

	/**
	 * Returns the value that a body returns if it could not begin its work: the run then
	 * counts neither as a success nor as a failure.
	 * @param waitNanos the longest wait before the next run, ns, 1 or more
	 * @return the value to return
	 */
	public static long untried(long waitNanos) {
		return -waitNanos;
	}

	/** Starts the loop, unless it runs. Does not block. */
	public synchronized void start() {
		if (this.current == null || this.current.isStopping()) {
			this.current = new LoopRun(this.name, this.body, this.track, this.shared, this.ownThreads, this.current);
			this.current.resume();
		}
	}

	/** Makes the body of the loop run now, or once more if the body is running. */
	public void wakeUp() {
		LoopRun run = current();
		if (run != null) {
			run.wakeUp();
		}
	}

	/**
	 * Stops the loop after the current run of its body.
	 * @param timeout the longest wait for the end of that run
	 * @return whether the loop has ended
	 */
	public boolean stop(Duration timeout) {
		LoopRun run = current();
		return run == null || run.stop(timeout);
	}

	/**
	 * Returns the status of the loop.
	 * @return the status at this moment
	 */
	public LoopStatus status() {
		LoopRun run = current();
		return this.track.status(run != null && (run.isStopping() || !run.hasEnded()));
	}

	private synchronized @Nullable LoopRun current() {
		return this.current;
	}

}
