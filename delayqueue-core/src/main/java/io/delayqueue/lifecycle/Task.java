package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Work that is repeated in the background, on the threads of a {@link TaskPool}. Safe for
 * use by several threads.
 * <ol>
 * <li>A task runs when a caller has requested it, and again after the pause that its run
 * returns. Of several requests the earliest counts. A request during a run causes another
 * run.</li>
 * <li>At most one run is under way, also if the task is stopped and started again. Each
 * run happens-before the next run.</li>
 * <li>A failed run does not end the task: the task runs again after 50 ms to 1 s. No
 * request shortens this pause, because the failure may have caused the request.</li>
 * <li>A task has a thread while it runs, and takes it 2 ms before the run is due, so that
 * the run begins in time. A task keeps its thread for 5 ms after a run, or until the next
 * run if that is due within 0.2 s, because it costs time to wake a further thread. A task
 * with a limit gives its thread back at once, because others wait for it in a line.</li>
 * <li>After a stop the task does not run until it is started again.</li>
 * </ol>
 */
public final class Task {

	/** How long a task without a limit keeps its thread after a run. */
	private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	/** A task without a limit keeps its thread for a run that is due within this time. */
	private static final long NEAR_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	/** How long before its next run a task takes a thread. */
	private static final long EARLY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	/** The wait before the next try to get a thread. */
	private static final long NO_THREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	private static final long LONGEST_NANOS = TimeUnit.DAYS.toNanos(365);

	// immutable

	private final String name;

	private final Work work;

	private final TaskPool pool;

	private final Executor threads;

	private final boolean limited;

	private final boolean listed;

	// accessed only by the run under way, except for its status

	private final FailureTrack track;

	// shared and safe

	/** Whether a run was requested at once and has not begun. */
	private volatile boolean woken;

	/** Written with the lock. */
	private volatile boolean stopped;

	private final ReentrantLock lock = new ReentrantLock();

	/** Signalled when a thread that this task keeps, or a thread in stop, must look. */
	private final Condition changed = this.lock.newCondition();

	// guarded by the lock

	/** Whether this task has a thread, or has requested one. */
	private boolean held;

	private @Nullable Thread thread;

	private long dueNanos = System.nanoTime() + LONGEST_NANOS;

	private boolean backingOff;

	/** Takes a thread for this task; may be set for an earlier time than needed. */
	private @Nullable Future<?> timer;

	private long timerNanos;

	Task(String name, Work work, TaskPool pool, Executor threads, boolean limited, boolean listed) {
		this.name = name;
		this.work = work;
		this.pool = pool;
		this.threads = threads;
		this.limited = limited;
		this.listed = listed;
		this.track = new FailureTrack(name);
	}

	/** The work of a task. */
	@FunctionalInterface
	public interface Work {

		/**
		 * Does the work once.
		 * @return the pause before the next run
		 * @throws Exception if the run failed
		 */
		Pause run() throws Exception;

	}

	/** Requests a run at once, or once more after the run that is under way. */
	public void wake() {
		dueIn(0);
	}

	/**
	 * Requests a run. Does nothing if this task is stopped.
	 * @param nanos the time from now to the run, ns
	 */
	public void dueIn(long nanos) {
		if (nanos <= 0 && this.woken) {
			return;
		}
		this.lock.lock();
		try {
			long at = System.nanoTime() + Math.min(nanos, LONGEST_NANOS);
			if (this.stopped || this.backingOff) {
				return;
			}
			if (this.listed) {
				this.pool.list(this.track);
			}
			this.woken |= nanos <= 0;
			if (at - this.dueNanos < 0) {
				this.dueNanos = at;
				this.changed.signalAll();
				arm();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Requests a run at once, also if this task was stopped. */
	public void start() {
		this.lock.lock();
		try {
			if (this.stopped) {
				this.stopped = false;
				this.woken = false;
				this.backingOff = false;
				this.dueNanos = System.nanoTime() + LONGEST_NANOS;
			}
			dueIn(0);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Stops this task; a run that is under way is the last run. Does not block. */
	public void stop() {
		stop(Duration.ZERO);
	}

	/**
	 * Stops this task; a run that is under way is the last run.
	 * @param timeout the longest wait for the end of this run
	 * @return whether no run is under way; {@code false} within a run
	 */
	public boolean stop(Duration timeout) {
		this.lock.lock();
		try {
			this.stopped = true;
			this.pool.unlist(this.track);
			cancelTimer();
			this.changed.signalAll();
			long left = (this.thread != Thread.currentThread()) ? timeout.toNanos() : 0;
			while (this.thread != null && left > 0) {
				left = this.changed.awaitNanos(left);
			}
			return this.thread == null;
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
			return this.thread == null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Takes a thread for this task now or when its run is near. */
	private void arm() {
		if (this.held || this.stopped) {
			return;
		}
		long at = this.dueNanos - EARLY_NANOS;
		long left = at - System.nanoTime();
		if (left <= 0) {
			launch();
		}
		else if (this.timer == null || at - this.timerNanos < 0) {
			cancelTimer();
			this.timerNanos = at;
			try {
				this.timer = this.pool.timer().schedule(this::timeHasCome, left, TimeUnit.NANOSECONDS);
			}
			catch (RejectedExecutionException closed) {
				this.stopped = true;
			}
		}
	}

	private void cancelTimer() {
		if (this.timer != null) {
			this.timer.cancel(false);
			this.timer = null;
		}
	}

	private void timeHasCome() {
		this.lock.lock();
		try {
			this.timer = null;
			arm();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void launch() {
		this.held = true;
		try {
			this.threads.execute(this::run);
		}
		catch (RuntimeException noThread) {
			refused(NO_THREAD_NANOS);
		}
		catch (Error noThread) {
			refused(this.track.failed(noThread).toNanos());
		}
	}

	private void refused(long waitNanos) {
		this.held = false;
		this.dueNanos = System.nanoTime() + waitNanos + EARLY_NANOS;
		arm();
	}

	/** Runs on a thread of the pool, which has the name of this task meanwhile. */
	private void run() {
		Thread current = Thread.currentThread();
		String before = current.getName();
		current.setName(this.name);
		try {
			boolean again = begins();
			while (again) {
				runOnce();
				again = !this.limited && begins();
			}
		}
		finally {
			current.setName(before);
			giveBack();
		}
	}

	/**
	 * Waits for the next run if it is near.
	 * @return whether the run begins now; otherwise this task gives its thread back
	 */
	private boolean begins() {
		this.lock.lock();
		try {
			this.thread = Thread.currentThread();
			long near = this.limited ? EARLY_NANOS : NEAR_NANOS;
			long keptUntil = System.nanoTime() + (this.limited ? 0 : LINGER_NANOS);
			while (!this.stopped && !this.pool.isClosed()) {
				long now = System.nanoTime();
				long left = this.dueNanos - now;
				if (left <= 0) {
					this.dueNanos = now + LONGEST_NANOS;
					this.backingOff = false;
					this.woken = false;
					// Clear the interrupt flag that the last run may have set
					Thread.interrupted();
					return true;
				}
				long wait = (left > near) ? Math.min(left, keptUntil - now) : left;
				if (wait <= 0) {
					return false;
				}
				try {
					this.changed.awaitNanos(wait);
				}
				catch (InterruptedException ended) {
					// The pool is closed, or the last run has set the interrupt flag,
					// which has no meaning for a task
				}
			}
			return false;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void runOnce() {
		boolean failed = true;
		long waitNanos = FailureTrack.LONGEST_PAUSE.toNanos();
		try {
			Pause pause = this.work.run();
			if (pause.worked()) {
				this.track.succeeded();
			}
			failed = false;
			waitNanos = pause.nanos();
		}
		catch (Throwable failure) {
			if (!this.stopped && !this.pool.isClosed()) {
				waitNanos = this.track.failed(failure).toNanos();
			}
		}
		finally {
			plan(waitNanos, failed);
		}
	}

	private void plan(long waitNanos, boolean failed) {
		this.lock.lock();
		try {
			long at = System.nanoTime() + Math.min(waitNanos, LONGEST_NANOS);
			if (failed || at - this.dueNanos < 0) {
				this.dueNanos = at;
			}
			this.backingOff = failed;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void giveBack() {
		this.lock.lock();
		try {
			this.held = false;
			this.thread = null;
			this.changed.signalAll();
			arm();
		}
		finally {
			this.lock.unlock();
		}
	}

}
