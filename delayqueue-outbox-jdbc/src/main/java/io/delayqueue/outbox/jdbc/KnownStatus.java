package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.delayqueue.outbox.OutboxStatus;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the last result of counting the rows of the outbox, a status or a failure, for 5
 * seconds. One thread counts at a time; meanwhile all other threads get the previous
 * result. If there is no previous result, they wait for the first one. This class holds
 * no lock while a thread counts.
 */
final class KnownStatus {

	private static final long KEPT_NANOS = Duration.ofSeconds(5).toNanos();

	private final Supplier<OutboxStatus> counting;

	private final LongSupplier nanoTime;

	/** The last count that has begun; guarded by this. */
	private @Nullable Count last;

	/** The count before the last one, which has ended; guarded by this. */
	private @Nullable Count previous;

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
	 * Returns the status, which may be older than 5 seconds while another thread counts.
	 * @throws RuntimeException if the count has failed
	 */
	OutboxStatus get() {
		Count count = count();
		// Has no effect if another thread has begun this count
		count.task.run();
		return count.result();
	}

	private synchronized Count count() {
		Count known = this.last;
		if (known != null && !known.task.isDone()) {
			return (this.previous != null) ? this.previous : known;
		}
		if (known == null || this.nanoTime.getAsLong() - known.endedNanos > KEPT_NANOS) {
			Count next = new Count();
			this.previous = known;
			this.last = next;
			return next;
		}
		return known;
	}

	/** Forgets all results, so that the next call of {@link #get()} counts. */
	synchronized void forget() {
		this.last = null;
		this.previous = null;
	}

	private final class Count {

		private final FutureTask<OutboxStatus> task = new FutureTask<>(this::run);

		private volatile long endedNanos;

		private OutboxStatus run() {
			try {
				return KnownStatus.this.counting.get();
			}
			finally {
				this.endedNanos = KnownStatus.this.nanoTime.getAsLong();
			}
		}

		OutboxStatus result() {
			try {
				return this.task.get();
			}
			catch (ExecutionException failure) {
				if (failure.getCause() instanceof RuntimeException cause) {
					throw cause;
				}
				throw new IllegalStateException("The rows of the outbox cannot be counted", failure.getCause());
			}
			catch (InterruptedException interrupted) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("Interrupted while another thread counts the rows of the outbox",
						interrupted);
			}
		}

	}

}
