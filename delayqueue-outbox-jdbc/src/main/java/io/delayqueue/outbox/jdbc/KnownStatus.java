package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.delayqueue.outbox.OutboxStatus;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the last result of counting the rows of the outbox, a status or a failure, for 5
 * seconds. One thread counts at a time; meanwhile all other threads get the previous
 * result. If there is none, or if it is older than a minute, they wait for the end of the
 * count. If the count has run for a minute, because the database neither answers nor
 * fails, all other threads get a failure instead. This class holds no lock while a thread
 * counts.
 */
final class KnownStatus {

	private static final long KEPT_NANOS = Duration.ofSeconds(5).toNanos();

	private static final Duration LONGEST_COUNT = Duration.ofMinutes(1);

	private final Supplier<OutboxStatus> counting;

	private final LongSupplier nanoTime;

	/** The last count that has begun; guarded by this. */
	private @Nullable Count last;

	/**
	 * The count before the last one, which has ended; {@code null} if its result is
	 * forgotten. Guarded by this.
	 */
	private @Nullable Count previous;

	/** Whether the result of the last count is forgotten; guarded by this. */
	private boolean forgotten;

	/**
	 * Creates an instance without a result.
	 * @param counting counts the rows
	 * @param nanoTime the clock, as {@link System#nanoTime()}
	 */
	KnownStatus(Supplier<OutboxStatus> counting, LongSupplier nanoTime) {
		this.counting = counting;
		this.nanoTime = nanoTime;
	}

	/**
	 * Returns the result of a count that has ended at most 5 seconds ago, or at most a
	 * minute ago while another thread counts.
	 * @throws RuntimeException if the count has failed, or if another thread has counted
	 * for more than a minute
	 */
	OutboxStatus get() {
		Count outdated = runningAndForgotten();
		if (outdated != null) {
			outdated.await();
		}
		Count count = count();
		// Has no effect if another thread has begun this count
		count.task.run();
		return count.result();
	}

	private synchronized @Nullable Count runningAndForgotten() {
		return (this.forgotten && this.last != null && !this.last.task.isDone()) ? this.last : null;
	}

	private synchronized Count count() {
		Count known = this.last;
		if (known != null && !known.task.isDone()) {
			known.remainingNanos();
			return (this.previous != null && age(this.previous) < LONGEST_COUNT.toNanos()) ? this.previous : known;
		}
		if (known == null || this.forgotten || age(known) > KEPT_NANOS) {
			Count next = new Count();
			this.previous = this.forgotten ? null : known;
			this.last = next;
			this.forgotten = false;
			return next;
		}
		return known;
	}

	private long age(Count ended) {
		return this.nanoTime.getAsLong() - ended.endedNanos;
	}

	/**
	 * Forgets all results, so that the next call of {@link #get()} counts. If a thread is
	 * counting, the next call counts after this thread has ended.
	 */
	synchronized void forget() {
		this.forgotten = true;
		this.previous = null;
	}

	private final class Count {

		private final FutureTask<OutboxStatus> task = new FutureTask<>(this::run);

		private final long begunNanos = KnownStatus.this.nanoTime.getAsLong();

		private volatile long endedNanos;

		private OutboxStatus run() {
			try {
				return KnownStatus.this.counting.get();
			}
			finally {
				this.endedNanos = KnownStatus.this.nanoTime.getAsLong();
			}
		}

		/**
		 * Returns how much longer this count may run.
		 * @throws IllegalStateException if this count has run for too long
		 */
		long remainingNanos() {
			long remaining = LONGEST_COUNT.toNanos() - (KnownStatus.this.nanoTime.getAsLong() - this.begunNanos);
			if (remaining <= 0) {
				throw tooLong(null);
			}
			return remaining;
		}

		private static IllegalStateException tooLong(@Nullable TimeoutException timeout) {
			return new IllegalStateException("The rows of the outbox cannot be counted: the database has not answered"
					+ " another thread for " + LONGEST_COUNT.toSeconds() + " s", timeout);
		}

		/** Waits for the end of this count, also if the count fails. */
		void await() {
			try {
				ended();
			}
			catch (ExecutionException failure) {
				// The next count shows whether the database still fails
			}
		}

		OutboxStatus result() {
			try {
				return ended();
			}
			catch (ExecutionException failure) {
				if (failure.getCause() instanceof RuntimeException cause) {
					throw cause;
				}
				throw new IllegalStateException("The rows of the outbox cannot be counted", failure.getCause());
			}
		}

		private OutboxStatus ended() throws ExecutionException {
			try {
				return this.task.isDone() ? this.task.get() : this.task.get(remainingNanos(), TimeUnit.NANOSECONDS);
			}
			catch (TimeoutException timeout) {
				throw tooLong(timeout);
			}
			catch (InterruptedException interrupted) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("Interrupted while another thread counts the rows of the outbox",
						interrupted);
			}
		}

	}

}
