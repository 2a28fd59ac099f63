package io.delayqueue.store;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Repeats a call to Redis until Redis answers or the deadline is near. Every call of this
 * library is safe to repeat. While Redis is known to be unavailable, it waits instead of
 * calling. A call that Redis refuses for good is not repeated, and no call is repeated
 * while the connections are closed.
 *
 * <p>
 * A running try cannot be cancelled, so no try begins that would end after the deadline
 * if it took as long as the last one.
 */
public final class CallRetry {

	private static final long FIRST_PAUSE_MILLIS = 50;

	private static final long LONGEST_PAUSE_MILLIS = 800;

	private final long deadlineNanos;

	private final Presence redis;

	private boolean called;

	private boolean mayHaveRun;

	private @Nullable StoreException last;

	CallRetry(Duration deadline, Presence redis) {
		this.deadlineNanos = System.nanoTime() + deadline.toNanos();
		this.redis = redis;
	}

	private CallRetry(long deadlineNanos, Presence redis, boolean called) {
		this.deadlineNanos = deadlineNanos;
		this.redis = redis;
		this.called = called;
	}

	/**
	 * The tries of another call, within the same deadline.
	 * @param first whether the call may be tried once even if the deadline has passed
	 * @return the tries
	 */
	public CallRetry ofAnother(boolean first) {
		return new CallRetry(this.deadlineNanos, this.redis, !first);
	}

	/**
	 * The deadline, by {@link System#nanoTime}.
	 * @return the deadline, ns
	 */
	public long deadlineNanos() {
		return this.deadlineNanos;
	}

	/**
	 * Whether the deadline has passed.
	 * @return {@code true} from then on
	 */
	public boolean isOver() {
		return System.nanoTime() - this.deadlineNanos >= 0;
	}

	/**
	 * Calls once.
	 * @param call the call
	 * @param <T> the type of its answer
	 * @return its answer, empty if the call failed and {@link #call} may succeed
	 * @throws Failed if no repeat would succeed
	 */
	public <T> Optional<T> callOnce(Supplier<T> call) throws Failed {
		if (!this.redis.await(0)) {
			return Optional.empty();
		}
		this.called = true;
		try {
			return Optional.of(call.get());
		}
		catch (StoreException failure) {
			note(failure);
			if (failure.isFinal()) {
				throw new Failed(failure, this.mayHaveRun);
			}
			return Optional.empty();
		}
	}

	/**
	 * Calls, and repeats the call until it succeeds or the deadline is near.
	 * @param call the call
	 * @param <T> the type of its answer
	 * @return its answer
	 * @throws Failed if there is no answer
	 */
	public <T> T call(Supplier<T> call) throws Failed {
		if (this.called && isOver()) {
			throw failed("the deadline had passed before the call was sent");
		}
		this.called = true;
		long pauseMillis = FIRST_PAUSE_MILLIS;
		long took = 0;
		while (true) {
			if (!this.redis.await(this.deadlineNanos - took - System.nanoTime())) {
				throw failed("Redis is unavailable (" + this.redis.reason() + "), so the call was not sent");
			}
			long began = System.nanoTime();
			try {
				return call.get();
			}
			catch (StoreException failure) {
				note(failure);
				long ended = System.nanoTime();
				took = ended - began;
				long pauseNanos = TimeUnit.MILLISECONDS
					.toNanos(ThreadLocalRandom.current().nextLong(pauseMillis / 2, pauseMillis + 1));
				boolean inTime = ended + pauseNanos + took - this.deadlineNanos < 0;
				if (failure.isFinal() || !inTime || !pause(pauseNanos)) {
					throw new Failed(failure, this.mayHaveRun);
				}
				pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
			}
		}
	}

	private Failed failed(String untried) {
		return new Failed((this.last != null) ? this.last : new StoreException(FailureKind.NOT_EXECUTED, untried, null),
				this.mayHaveRun);
	}

	private void note(StoreException failure) {
		this.last = failure;
		this.mayHaveRun |= failure.mayHaveRun();
		if (failure.isRedisLost()) {
			this.redis.lost(failure);
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

	/**
	 * Whether Redis is available, as far as this process has found.
	 */
	public interface Presence {

		/** Assumes that Redis is available. */
		Presence ASSUMED = new Presence() {

			@Override
			public boolean await(long nanos) {
				return true;
			}

			@Override
			public String reason() {
				return "unknown";
			}

			@Override
			public void lost(RuntimeException failure) {
				// The next try shows whether Redis is back
			}

		};

		/**
		 * Waits until Redis is no longer known to be unavailable.
		 * @param nanos how long to wait at most, ns
		 * @return {@code false} if it still is unavailable, or the thread was interrupted
		 */
		boolean await(long nanos);

		/**
		 * Why Redis counts as unavailable.
		 * @return the reason
		 */
		String reason();

		/**
		 * Called when a call did not reach Redis.
		 * @param failure the failure of the call
		 */
		void lost(RuntimeException failure);

	}

	/** The call got no answer. */
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
		 * Whether one of the tries may have run.
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
		 * The message of the last try's failure.
		 * @return the text
		 */
		public String reason() {
			return String.valueOf(this.last.getMessage());
		}

	}

}
