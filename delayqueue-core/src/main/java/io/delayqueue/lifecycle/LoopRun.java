package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * One run of a {@link BackgroundLoop}, from its start to its stop. Safe for use by
 * several threads.
 */
final class LoopRun implements Runnable {

	/**
	 * The lead time: a loop without a thread takes a thread this long before the next run
	 * of its body.
	 */
	private static final long EARLY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	/** The wait before the next try to get a thread if the pool has no free thread. */
	private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	// immutable

	private final String name;

	private final BackgroundLoop.Body body;

	private final FailureTrack track;

	private final BackgroundLoop.@Nullable Shared shared;

	private final ThreadFactory ownThreads;

	// shared and safe

	private final CountDownLatch ended = new CountDownLatch(1);

	private volatile boolean stopping;

	private volatile boolean woken;

	/** The thread on which this loop runs, {@code null} while it has no thread. */
	private volatile @Nullable Thread thread;

	// guarded by this

	/** Whether this loop waits without a thread. */
	private boolean resting = true;

	private @Nullable Future<?> resuming;

	// accessed only by the thread of the loop

	/**
	 * The previous run of the same loop, which must end before this run calls the body;
	 * {@code null} if the previous run has ended, or if there was none.
	 */
	private @Nullable LoopRun before;

	private long nextNanos = System.nanoTime();

	LoopRun(String name, BackgroundLoop.Body body, FailureTrack track, BackgroundLoop.@Nullable Shared shared,
			ThreadFactory ownThreads, @Nullable LoopRun before) {
		this.name = name;
		this.body = body;
		this.track = track;
		this.shared = shared;
		this.ownThreads = ownThreads;
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
	 * Waits after a failed run of the body. Ignores wake-ups, because a failure could
	 * cause a wake-up that would end the wait.
	 */
	private void backOff(long nanos) {
		long end = System.nanoTime() + nanos;
		for (long left = nanos; !this.stopping && left > 0; left = end - System.nanoTime()) {
			park(left);
		}
	}

	/**
	 * Waits until the next run of the body is due or a wake-up arrives.
	 * @return {@code false} if the loop is to give back its thread for the rest of the
	 * wait
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
		// Clear the interrupt flag, which has no meaning for a loop: while the flag is
		// set, parkNanos returns at once
		Thread.interrupted();
	}

	/**
	 * Gives the thread of this loop back to the pool until the next run of the body.
	 * @return {@code false} if the next run of the body is to begin now
	 */
	private synchronized boolean rest(Thread own, BackgroundLoop.Shared shared) {
		// Clear the field thread before the check of woken: wakeUp sets woken before it
		// reads thread, so no wake-up is lost
		this.thread = null;
		if (this.woken || this.stopping) {
			this.thread = own;
			return false;
		}
		resumeIn(this.nextNanos - System.nanoTime() - EARLY_NANOS, shared.timer());
		return true;
	}

	void wakeUp() {
		if (this.woken) {
			// The body has not begun since an earlier wake-up
			return;
		}
		this.woken = true;
		Thread running = this.thread;
		if (running != null) {
			LockSupport.unpark(running);
		}
		else {
			resume();
		}
	}

	/** Takes a thread for this loop, unless the loop has a thread. */
	synchronized void resume() {
		if (!this.resting) {
			LockSupport.unpark(this.thread);
			return;
		}
		stopResting();
		if (this.shared == null) {
			this.ownThreads.newThread(this).start();
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

	boolean isStopping() {
		return this.stopping;
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
