package io.delayqueue.store;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Repeats a call to Redis until it answers or the deadline is near. Every call of ours is
 * safe to repeat.
 *
 * <p>
 * A try that is under way cannot be cut off, so none is begun that would end too late if
 * it took as long as the last one.
 */
public final class Attempts {

	private static final long FIRST_PAUSE_MILLIS = 50;

	private static final long LONGEST_PAUSE_MILLIS = 800;

	private final long deadlineNanos;

	private boolean called;

	/**
	 * Begins to count.
	 * @param deadline for how long to repeat calls
	 */
	public Attempts(Duration deadline) {
		this.deadlineNanos = System.nanoTime() + deadline.toNanos();
	}

	/**
	 * Calls.
	 * @param call the call
	 * @param <T> the type of its answer
	 * @return its answer
	 * @throws Failed if there is no answer
	 */
	public <T> T call(Supplier<T> call) throws Failed {
		if (this.called && System.nanoTime() - this.deadlineNanos >= 0) {
			throw new Failed(
					new StoreException(FailureKind.NOT_EXECUTED, "the deadline had passed before it was sent", null),
					false);
		}
		this.called = true;
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
	public static final class Failed extends Exception {

		private static final long serialVersionUID = 1L;

		private final StoreException last;

		private final boolean mayHaveRun;

		Failed(StoreException last, boolean mayHaveRun) {
			super(last.getMessage(), last);
			this.last = last;
			this.mayHaveRun = mayHaveRun;
		}

		/**
		 * The last try's failure.
		 * @return the failure
		 */
		public StoreException last() {
			return this.last;
		}

		/**
		 * Whether one of the tries may have been carried out.
		 * @return {@code false} if it is certain that nothing was written
		 */
		public boolean mayHaveRun() {
			return this.mayHaveRun;
		}

		/**
		 * Whether Redis refuses the call for good.
		 * @return {@code true} if repeating it is of no use
		 */
		public boolean isRefused() {
			return this.last.kind() == FailureKind.REFUSED;
		}

		/**
		 * What the last try's failure says.
		 * @return the text
		 */
		public String reason() {
			return String.valueOf(this.last.getMessage());
		}

	}

}
