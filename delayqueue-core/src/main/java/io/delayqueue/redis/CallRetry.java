package io.delayqueue.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Repeats a call to Redis until Redis answers or the deadline is near. Every call of this
 * library to Redis is safe to repeat. While Redis is known to be unavailable,
 * {@code CallRetry} waits instead of calling. {@code CallRetry} does not repeat a call
 * that Redis refuses for good, and repeats no call while the connections are closed.
 *
 * <p>
 * A call that was sent cannot be cancelled. So {@code CallRetry} assumes that a repeat
 * takes as long as the previous try, and makes no repeat that would end after the
 * deadline.
 */
public final class CallRetry {

	private static final long FIRST_PAUSE_MILLIS = 50;

	private static final long LONGEST_PAUSE_MILLIS = 800;

	private final long deadlineNanos;

	private final Presence redis;

	private boolean called;

	private @Nullable StoreException last;

	/**
	 * Creates a retry whose deadline begins to run now.
	 * @param deadline the time for which a failed call is repeated
	 * @param redis reports whether Redis is available
	 */
	public CallRetry(Duration deadline, Presence redis) {
		this(System.nanoTime() + deadline.toNanos(), redis, false);
	}

	private CallRetry(long deadlineNanos, Presence redis, boolean called) {
		this.deadlineNanos = deadlineNanos;
		this.redis = redis;
		this.called = called;
	}

	/**
	 * Returns a retry for another call to Redis, with the deadline of this retry.
	 * @param first whether the call is made once even if the deadline has passed
	 * @return the retry for that call
	 */
	public CallRetry ofAnother(boolean first) {
		return new CallRetry(this.deadlineNanos, this.redis, !first);
	}

	/**
	 * Returns the deadline of the calls, by {@link System#nanoTime}.
	 * @return the deadline, ns
	 */
	public long deadlineNanos() {
		return this.deadlineNanos;
	}

	/**
	 * Whether the deadline has passed.
	 * @return {@code true} from the deadline on
	 */
	public boolean isOver() {
		return System.nanoTime() - this.deadlineNanos >= 0;
	}

	/**
	 * Makes a call to Redis once, unless Redis is known to be unavailable.
	 * @param call the call
	 * @param <T> the type of the reply
	 * @return the reply, empty if the call failed and {@link #call} may still succeed
	 * @throws StoreException if no repeat would succeed
	 */
	public <T> Optional<T> callOnce(Supplier<T> call) {
		if (!this.redis.await(0)) {
			return Optional.empty();
		}
		this.called = true;
		try {
			return Optional.of(call.get());
		}
		catch (StoreException failure) {
			StoreException last = note(failure);
			if (last.isFinal()) {
				throw last;
			}
			return Optional.empty();
		}
	}

	/**
	 * Makes a call to Redis, and repeats the call until it succeeds or the deadline is
	 * near.
	 * @param call the call
	 * @param <T> the type of the reply
	 * @return the reply of Redis
	 * @throws StoreException the failure of the last try, if no try got a reply;
	 * {@link StoreException#mayHaveRun} reports whether Redis may have run any of the
	 * tries
	 */
	public <T> T call(Supplier<T> call) {
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
				StoreException last = note(failure);
				long ended = System.nanoTime();
				took = ended - began;
				long pauseNanos = TimeUnit.MILLISECONDS
					.toNanos(ThreadLocalRandom.current().nextLong(pauseMillis / 2, pauseMillis + 1));
				boolean inTime = ended + pauseNanos + took - this.deadlineNanos < 0;
				if (failure.isFinal() || !inTime || !pause(pauseNanos)) {
					throw last;
				}
				pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
			}
		}
	}

	private StoreException failed(String untried) {
		return (this.last != null) ? this.last : new StoreException(FailureKind.NOT_EXECUTED, untried, null);
	}

	private StoreException note(StoreException failure) {
		boolean mayHaveRun = this.last != null && this.last.mayHaveRun();
		this.last = mayHaveRun ? failure.ofARepeat() : failure;
		if (failure.isRedisLost()) {
			this.redis.lost(failure);
		}
		return this.last;
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

	/** Whether Redis is available, as far as this process has noticed. */
	public interface Presence {

		/**
		 * Waits until Redis is no longer known to be unavailable.
		 * @param nanos the longest wait, ns
		 * @return {@code false} if Redis is still unavailable, or the thread was
		 * interrupted
		 */
		boolean await(long nanos);

		/**
		 * Returns why this process considers Redis unavailable.
		 * @return the reason
		 */
		String reason();

		/**
		 * Reports a call that did not reach Redis.
		 * @param failure the failure of the call
		 */
		void lost(RuntimeException failure);

	}

}
