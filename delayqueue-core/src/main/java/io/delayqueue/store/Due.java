package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * When a message is due: a delay that Redis counts from its own clock, or an instant.
 * Whole milliseconds, rounded up, so that no message is early.
 */
public final class Due {

	private static final int DIGITS = 16;

	private final String form;

	/**
	 * The time at which a counted delay began; {@code null} if the delay is not counted
	 * from its begin.
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
	 * A delay from now.
	 * @param delay 0 or more
	 * @return the due time
	 */
	public static Due in(Duration delay) {
		return new Due("+" + delay.plusNanos(999_999).toMillis());
	}

	/**
	 * An instant.
	 * @param instant 1970 or later
	 * @return the due time
	 */
	public static Due at(Instant instant) {
		return new Due(digits(instant.plusNanos(999_999).toEpochMilli()));
	}

	/**
	 * Reads the form of {@link #toString()}.
	 * @param form the form of the scripts' argument
	 * @return the due time
	 */
	public static Due of(String form) {
		long millis = Long.parseLong(form);
		return form.startsWith("+") ? new Due("+" + millis) : new Due(digits(millis));
	}

	/**
	 * The rest of a delay after a part of it has passed. An instant stays.
	 * @param passed the time since the delay began
	 * @return the due time; now, if the delay has passed
	 */
	public Due after(Duration passed) {
		return this.form.startsWith("+")
				? new Due("+" + Math.max(0, Long.parseLong(this.form) - Math.max(0, passed.toMillis()))) : this;
	}

	/**
	 * The same delay, counted from its begin and not from the time at which Redis carries
	 * out the call: the store makes an instant of it before it sends the call. An instant
	 * stays.
	 * @param nanos when the delay began, by {@link System#nanoTime()}
	 * @return the due time
	 */
	public Due since(long nanos) {
		return this.form.startsWith("+") ? new Due(this.form, nanos) : this;
	}

	/** Whether the delay is counted from its begin. */
	boolean isCounted() {
		return this.sinceNanos != null;
	}

	/** The instant at which a counted delay ends; another due time stays. */
	Due by(PartitionClock.Reading clock) {
		if (this.sinceNanos == null) {
			return this;
		}
		long passed = TimeUnit.NANOSECONDS.toMillis(Math.max(0, clock.askedNanos() - this.sinceNanos));
		return new Due(digits(clock.nowMillis() + Math.max(0, Long.parseLong(this.form) - passed)));
	}

	/**
	 * The due time as text for log lines and messages.
	 * @return a duration from now, or an instant
	 */
	public String describe() {
		long millis = Long.parseLong(this.form);
		return this.form.startsWith("+") ? Duration.ofMillis(millis) + " from now"
				: Instant.ofEpochMilli(millis).toString();
	}

	/** The due time, ms since 1970, if Redis counts a delay from the given time. */
	long millis(long nowMicros) {
		long millis = Long.parseLong(this.form);
		return this.form.startsWith("+") ? nowMicros / 1000 + millis : millis;
	}

	/**
	 * The time that is left until a due time, by the clock of Redis.
	 * @param dueMillis the due time, ms since 1970
	 * @param nowMicros the time of Redis, us since 1970
	 * @return ns; 0 if the time has passed
	 */
	public static long leftNanos(long dueMillis, long nowMicros) {
		return TimeUnit.MICROSECONDS.toNanos(Math.max(0, dueMillis * 1000 - nowMicros));
	}

	/** The form in a record. */
	private static String digits(long millis) {
		String digits = Long.toString(millis);
		return "0".repeat(Math.max(0, DIGITS - digits.length())) + digits;
	}

	/** The form of the scripts' argument. */
	@Override
	public String toString() {
		return this.form;
	}

}
