package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * The loop of every background thread: a thread that runs a body repeatedly and waits in
 * between, until a wake-up or for the time that the body returned. The loop continues
 * after any exception of the body, backs off from 50 ms to 1 s while the body fails, and
 * can be started again after it was stopped. Safe for use by several threads.
 *
 * <p>
 * A wake-up that arrives while the body runs is not lost: the body runs once more.
 */
public final class BackgroundLoop {

	// immutable

	private final String name;

	private final boolean daemon;

	private final Body body;

	// shared and safe

	private final FailureTrack track;

	// shared, guarded by this

	private @Nullable Run current;

	/**
	 * Creates a loop that is not started yet.
	 * @param name the thread's name
	 * @param body the code to run
	 */
	public BackgroundLoop(String name, Body body) {
		this(name, true, body);
	}

	/**
	 * Creates a loop that is not started yet.
	 * @param name the thread's name
	 * @param daemon whether the process may end while the loop runs
	 * @param body the code to run
	 */
	public BackgroundLoop(String name, boolean daemon, Body body) {
		this.name = name;
		this.daemon = daemon;
		this.body = body;
		this.track = new FailureTrack(name);
	}

	/** The code that a loop runs. */
	@FunctionalInterface
	public interface Body {

		/**
		 * Runs once.
		 * @return how long to wait for a wake-up before the next run, ns; the value of
		 * {@link #untried} if the body could not begin its work
		 * @throws Exception if the run failed: the loop backs off and continues
		 */
		long run() throws Exception;

	}

	/**
	 * The return value of a body that could not begin its work: the run counts neither as
	 * a success nor as a failure.
	 * @param waitNanos how long to wait for a wake-up, 1 ns or more
	 * @return the value to return
	 */
	public static long untried(long waitNanos) {
		return -waitNanos;
	}

	/** Starts the loop. Does nothing if it runs. Does not block. */
	public synchronized void start() {
		if (this.current == null || this.current.stopping) {
			this.current = new Run(this.name, this.daemon, this.body, this.track, this.current);
			this.current.thread.start();
		}
	}

	/** Makes the body run now, or once more if it is running. */
	public void wakeUp() {
		Run run = current();
		if (run != null) {
			run.wakeUp();
		}
	}

	/**
	 * Stops the loop after the body's current run.
	 * @param timeout how long to wait for the end of that run
	 * @return whether the loop has ended
	 */
	public boolean stop(Duration timeout) {
		Run run = current();
		return run == null || run.stop(timeout);
	}

	/**
	 * The status of the loop.
	 * @return its status at this moment
	 */
	public LoopStatus status() {
		Run run = current();
		return this.track.status(run != null && (run.stopping || run.thread.isAlive()));
	}

	private synchronized @Nullable Run current() {
		return this.current;
	}

	/** The time from one start to its stop. */
	private static final class Run implements Runnable {

		private final Thread thread;

		private final Body body;

		private final FailureTrack track;

		private final @Nullable Thread before;

		// shared and safe

		private volatile boolean stopping;

		private volatile boolean woken;

		Run(String name, boolean daemon, Body body, FailureTrack track, @Nullable Run before) {
			this.body = body;
			this.track = track;
			this.before = (before != null) ? before.thread : null;
			this.thread = new Thread(this, name);
			this.thread.setDaemon(daemon);
		}

		@Override
		public void run() {
			if (this.before != null) {
				join(this.before, Long.MAX_VALUE);
			}
			while (!this.stopping) {
				await(runBody());
			}
		}

		private long runBody() {
			try {
				long waitNanos = this.body.run();
				if (waitNanos < 0) {
					return -waitNanos;
				}
				this.track.succeeded();
				return waitNanos;
			}
			catch (Throwable failure) {
				rest(this.track.failed(failure).toNanos());
				return 0;
			}
		}

		/**
		 * Waits for the end of the back-off and ignores wake-ups: otherwise a failure
		 * could cause the wake-up that ends its own back-off.
		 */
		private void rest(long nanos) {
			long end = System.nanoTime() + nanos;
			for (long left = nanos; !this.stopping && left > 0; left = end - System.nanoTime()) {
				LockSupport.parkNanos(this, left);
				Thread.interrupted();
			}
		}

		private void await(long waitNanos) {
			long end = System.nanoTime() + waitNanos;
			for (long left = waitNanos; !this.woken && !this.stopping && left > 0; left = end - System.nanoTime()) {
				LockSupport.parkNanos(this, left);
				// An interrupt has no meaning here, but would end each later park at once
				Thread.interrupted();
			}
			this.woken = false;
		}

		void wakeUp() {
			this.woken = true;
			LockSupport.unpark(this.thread);
		}

		boolean stop(Duration timeout) {
			this.stopping = true;
			LockSupport.unpark(this.thread);
			return Thread.currentThread() != this.thread && join(this.thread, timeout.toNanos());
		}

		private static boolean join(Thread thread, long nanos) {
			try {
				TimeUnit.NANOSECONDS.timedJoin(thread, nanos);
			}
			catch (InterruptedException interrupted) {
				Thread.currentThread().interrupt();
			}
			return !thread.isAlive();
		}

	}

}
