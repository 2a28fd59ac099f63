package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
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
 *
 * <p>
 * A loop of {@link TurnThreads} gives its thread back after a second without a run, and
 * takes another one for the next run. Each run happens before the next one.
 */
public final class BackgroundLoop {

	/** How long before its next run a loop takes a thread. */
	private static final long EARLY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	/** The wait before the next try when no thread can be created. */
	private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	// immutable

	private final String name;

	private final Body body;

	/** {@code null} for a loop that keeps its thread. */
	private final @Nullable Shared shared;

	// shared and safe

	private final FailureTrack track;

	// shared, guarded by this

	private @Nullable Run current;

	/**
	 * Creates a loop with a thread of its own, a daemon, that is not started yet.
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
		this.track = new FailureTrack(name);
	}

	/**
	 * The threads that loops share.
	 *
	 * @param timer wakes the loops that have no thread
	 * @param threads runs the loops; must have a thread for each loop
	 * @param lingerNanos how long a loop that waits keeps its thread, ns
	 */
	record Shared(ScheduledExecutorService timer, Executor threads, long lingerNanos) {
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
			this.current = new Run(this.name, this.body, this.track, this.shared, this.current);
			this.current.resume();
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
		return this.track.status(run != null && (run.stopping || !run.hasEnded()));
	}

	private synchronized @Nullable Run current() {
		return this.current;
	}

	/** The time from one start to its stop. */
	private static final class Run implements Runnable {

		// immutable

		private final String name;

		private final Body body;

		private final FailureTrack track;

		private final @Nullable Shared shared;

		// shared and safe

		private final CountDownLatch ended = new CountDownLatch(1);

		private volatile boolean stopping;

		private volatile boolean woken;

		/** {@code null} while this run has no thread. */
		private volatile @Nullable Thread thread;

		// guarded by this

		/** Whether this run waits without a thread. */
		private boolean resting = true;

		private @Nullable Future<?> resuming;

		// confined to the thread

		/** Must end first. */
		private @Nullable Run before;

		private long nextNanos = System.nanoTime();

		Run(String name, Body body, FailureTrack track, @Nullable Shared shared, @Nullable Run before) {
			this.name = name;
			this.body = body;
			this.track = track;
			this.shared = shared;
			this.before = before;
		}

		@Override
		public void run() {
			Thread own = Thread.currentThread();
			String ownName = own.getName();
			own.setName(this.name);
			this.thread = own;
			boolean rests = false;
			try {
				if (this.before != null) {
					this.before.awaitEnd(Long.MAX_VALUE);
					this.before = null;
				}
				while (!this.stopping && !rests) {
					if (await()) {
						long waitNanos = runBody();
						this.nextNanos = System.nanoTime() + waitNanos;
					}
					else {
						rests = rest(own, Objects.requireNonNull(this.shared));
					}
				}
			}
			finally {
				if (!rests) {
					this.ended.countDown();
				}
				own.setName(ownName);
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
				backOff(this.track.failed(failure).toNanos());
				return 0;
			}
		}

		/**
		 * Waits for the end of the back-off and ignores wake-ups: otherwise a failure
		 * could cause the wake-up that ends its own back-off.
		 */
		private void backOff(long nanos) {
			long end = System.nanoTime() + nanos;
			for (long left = nanos; !this.stopping && left > 0; left = end - System.nanoTime()) {
				park(left);
			}
		}

		/**
		 * Waits for the next run.
		 * @return {@code false} if the rest of the wait needs no thread
		 */
		private boolean await() {
			long began = System.nanoTime();
			long left = this.nextNanos - began;
			long lingers = (this.shared != null && left > 2 * EARLY_NANOS) ? Math.min(left, this.shared.lingerNanos())
					: left;
			for (long wait = lingers; !this.woken && !this.stopping; wait = began + lingers - System.nanoTime()) {
				if (wait <= 0 && lingers < left) {
					return false;
				}
				if (wait <= 0) {
					break;
				}
				park(wait);
			}
			this.woken = false;
			return true;
		}

		private void park(long nanos) {
			LockSupport.parkNanos(this, nanos);
			// An interrupt has no meaning here, but would end each later park at once
			Thread.interrupted();
		}

		/**
		 * Gives the thread back until the next run.
		 * @return {@code false} if that is now
		 */
		private synchronized boolean rest(Thread own, Shared shared) {
			// Before the check: a wake-up sets its flag before it looks for the thread
			this.thread = null;
			if (this.woken || this.stopping) {
				this.thread = own;
				return false;
			}
			resumeIn(this.nextNanos - System.nanoTime() - EARLY_NANOS, shared.timer());
			return true;
		}

		void wakeUp() {
			this.woken = true;
			Thread running = this.thread;
			if (running != null) {
				LockSupport.unpark(running);
			}
			else {
				resume();
			}
		}

		/** Takes a thread, unless this run has one. */
		private synchronized void resume() {
			if (!this.resting) {
				LockSupport.unpark(this.thread);
				return;
			}
			stopResting();
			if (this.shared == null) {
				Thread own = new Thread(this);
				own.setDaemon(true);
				own.start();
				return;
			}
			try {
				this.shared.threads().execute(this);
			}
			catch (RuntimeException | Error noThread) {
				resumeIn(BUSY_NANOS, this.shared.timer());
			}
		}

		private void resumeIn(long nanos, ScheduledExecutorService timer) {
			try {
				this.resting = true;
				this.resuming = timer.schedule(this::resume, nanos, TimeUnit.NANOSECONDS);
			}
			catch (RejectedExecutionException closed) {
				this.ended.countDown();
			}
		}

		private void stopResting() {
			this.resting = false;
			if (this.resuming != null) {
				this.resuming.cancel(false);
				this.resuming = null;
			}
		}

		boolean stop(Duration timeout) {
			this.stopping = true;
			synchronized (this) {
				if (this.resting) {
					stopResting();
					this.ended.countDown();
				}
			}
			Thread running = this.thread;
			LockSupport.unpark(running);
			return Thread.currentThread() != running && awaitEnd(timeout.toNanos());
		}

		boolean hasEnded() {
			return this.ended.getCount() == 0;
		}

		private boolean awaitEnd(long nanos) {
			try {
				return this.ended.await(nanos, TimeUnit.NANOSECONDS);
			}
			catch (InterruptedException interrupted) {
				Thread.currentThread().interrupt();
				return hasEnded();
			}
		}

	}

}
