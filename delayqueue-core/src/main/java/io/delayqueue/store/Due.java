package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * When a message is due: after a delay, which a script adds to the time of Redis, or at
 * an instant. Both are in whole milliseconds, rounded up, so that no message is delivered
 * early.
 */
public final class Due {

	private static final int DIGITS = 16;

	private final String form;

	/**
	 * When the delay began, by {@link System#nanoTime()}; {@code null} if the delay
	 * begins when Redis carries out the call.
	 */
	private final @Nullable Long sinceNanos;

	private Due(String form) {
		this(form, null);
	}

	private Due(String form, @Nullable Long sinceNanos) {
		this.form = form;
		this.sinceNanos = sinceNanos;
	}

	/**
	 * Makes a due time from a delay that begins when Redis carries out the call.
	 * @param delay the delay, 0 or more
	 * @return the due time
	 */
	public static Due in(Duration delay) {
		return new Due("+" + delay.plusNanos(999_999).toMillis());
	}

	/**
	 * Makes a due time from an instant.
	 * @param instant the instant, 1970 or later
	 * @return the due time
	 */
	public static Due at(Instant instant) {
		return new Due(digits(instant.plusNanos(999_999).toEpochMilli()));
	}

	/**
	 * Reads a due time from the text that {@link #toString()} returns.
	 * @param form the script argument
	 * @return the due time
	 */
	public static Due of(String form) {
		long millis = Long.parseLong(form);
		return form.startsWith("+") ? new Due("+" + millis) : new Due(digits(millis));
	}

	/**
	 * Returns the due time with a delay that begins at the given time, instead of when
	 * Redis carries out the call. The store turns a delay with a known beginning into an
	 * instant before it sends the call. A due time that is an instant is returned
	 * unchanged.
	 * @param nanos when the delay began, by {@link System#nanoTime()}
	 * @return the due time
	 */
	public Due since(long nanos) {
		return this.form.startsWith("+") ? new Due(this.form, nanos) : this;
	}

	/** Whether this is a delay that began at a known time, before the call to Redis. */
	boolean isCounted() {
		return this.sinceNanos != null;
	}

	/**
	 * Turns a delay that began at a known time into the instant at which the delay ends,
	 * which may have passed. Any other due time is returned unchanged.
	 */
	Due by(PartitionClock.Reading clock) {
		if (this.sinceNanos == null) {
			return this;
		}
		long passed = TimeUnit.NANOSECONDS.toMillis(Math.max(0, clock.askedNanos() - this.sinceNanos));
		return new Due(digits(Math.max(0, clock.nowMillis() + Long.parseLong(this.form) - passed)));
	}

	/**
	 * Returns the due time as text for the messages of exceptions.
	 * @return the text of a duration from now, or from an earlier call, or of an instant
	 */
	public String describe() {
		long millis = Long.parseLong(this.form);
		return this.form.startsWith("+")
				? DurationText.of(Duration.ofMillis(millis))
						+ ((this.sinceNanos != null) ? " after the call" : " from now")
				: Instant.ofEpochMilli(millis).toString();
	}

	/**
	 * Returns the due time in ms since 1970; if it is a delay, the delay begins at the
	 * given time of Redis.
	 */
	long millis(long nowMicros) {
		long millis = Long.parseLong(this.form);
		return this.form.startsWith("+") ? nowMicros / 1000 + millis : millis;
	}

	/**
	 * Returns the time that is left until a due time, by the clock of Redis.
	 * @param dueMillis the due time, ms since 1970
	 * @param nowMicros the time of Redis, us since 1970
	 * @return the time that is left, ns; 0 if the due time has passed
	 */
	public static long leftNanos(long dueMillis, long nowMicros) {
		return TimeUnit.MICROSECONDS.toNanos(Math.max(0, dueMillis * 1000 - nowMicros));
	}

	/** Returns a time as 16 digits, the form in the record of a message. */
	private static String digits(long millis) {
		String digits = Long.toString(millis);
		return "0".repeat(Math.max(0, DIGITS - digits.length())) + digits;
	}

	/** Returns the due time as a script argument. */
	@Override
	public String toString() {
		return this.form;
	}

}
