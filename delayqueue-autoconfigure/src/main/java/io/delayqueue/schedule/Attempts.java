package io.delayqueue.schedule;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.delayqueue.store.FailureKind;
import io.delayqueue.store.StoreException;

/**
 * Repeats a call to Redis until it answers or the deadline is near. Every call of ours is
 * safe to repeat.
 *
 * <p>
 * A try that is under way cannot be cut off, so none is begun that would end too late if
 * it took as long as the last one.
 */
final class Attempts {

	private static final long FIRST_PAUSE_MILLIS = 50;

	private static final long LONGEST_PAUSE_MILLIS = 800;

	private final long deadlineNanos;

	Attempts(Duration deadline) {
		this.deadlineNanos = System.nanoTime() + deadline.toNanos();
	}

	/**
	 * Calls.
	 * @throws Failed if there is no answer
	 */
	<T> T call(Supplier<T> call) throws Failed {
		boolean mayHaveRun = false;
		long pauseMillis = FIRST_PAUSE_MILLIS;
		while (true) {
			long began = System.nanoTime();
			try {
				return call.get();
			}
			catch (StoreException failure) {
				mayHaveRun |= failure.kind() == FailureKind.UNKNOWN;
				long ended = System.nanoTime();
				long pauseNanos = TimeUnit.MILLISECONDS
					.toNanos(ThreadLocalRandom.current().nextLong(pauseMillis / 2, pauseMillis + 1));
				boolean inTime = ended + pauseNanos + (ended - began) - this.deadlineNanos < 0;
				if (failure.kind() == FailureKind.REFUSED || !inTime || !pause(pauseNanos)) {
					throw new Failed(failure, mayHaveRun);
				}
				pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
			}
		}
	}

	private static boolean pause(long nanos) {
		try {
			TimeUnit.NANOSECONDS.sleep(nanos);
			return true;
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/** There was no answer. */
	static final class Failed extends Exception {

		private static final long serialVersionUID = 1L;

		private final StoreException last;

		private final boolean mayHaveRun;

		Failed(StoreException last, boolean mayHaveRun) {
			super(last.getMessage(), last);
			this.last = last;
			this.mayHaveRun = mayHaveRun;
		}

		/** The last try's failure. */
		StoreException last() {
			return this.last;
		}

		/** Whether one of the tries may have been carried out. */
		boolean mayHaveRun() {
			return this.mayHaveRun;
		}

		/** Whether Redis refuses the call for good. */
		boolean isRefused() {
			return this.last.kind() == FailureKind.REFUSED;
		}

		String reason() {
			return String.valueOf(this.last.getMessage());
		}

	}

}
