package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;

/**
 * When a message is to be due: counted by Redis from now, or a moment. Whole
 * milliseconds, rounded up, so that nothing is early.
 */
public final class Due {

	private static final int DIGITS = 16;

	private final String form;

	private Due(String form) {
		this.form = form;
	}

	/**
	 * A wait from now.
	 * @param delay 0 or more
	 * @return the due time
	 */
	public static Due in(Duration delay) {
		return new Due("+" + delay.plusNanos(999_999).toMillis());
	}

	/**
	 * A moment.
	 * @param instant 1970 or later
	 * @return the due time
	 */
	public static Due at(Instant instant) {
		return new Due(digits(instant.plusNanos(999_999).toEpochMilli()));
	}

	/**
	 * What it is, for a human.
	 * @return a duration from now, or an instant
	 */
	public String describe() {
		long millis = Long.parseLong(this.form);
		return this.form.startsWith("+") ? Duration.ofMillis(millis) + " from now"
				: Instant.ofEpochMilli(millis).toString();
	}

	/** The moment, ms since 1970, if Redis has counted it from that time. */
	long millis(long nowMicros) {
		long millis = Long.parseLong(this.form);
		return this.form.startsWith("+") ? nowMicros / 1000 + millis : millis;
	}

	/** As a record has it. */
	private static String digits(long millis) {
		String digits = Long.toString(millis);
		return "0".repeat(Math.max(0, DIGITS - digits.length())) + digits;
	}

	byte[] toBytes() {
		return Reply.bytes(this.form);
	}

	@Override
	public String toString() {
		return this.form;
	}

}
