package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;

import io.delayqueue.DurationText;

/**
 * The expiry of a message: the time until which an attempt to handle the message may
 * begin.
 */
public final class Expiry {

	/** The expiry of a message that does not expire. */
	public static final Expiry NEVER = new Expiry("");

	private final String form;

	private Expiry(String form) {
		this.form = form;
	}

	/**
	 * Makes an expiry that is a duration after the due time, and moves when the due time
	 * moves.
	 * @param duration the duration, 1 ms or more
	 * @return the expiry
	 */
	public static Expiry after(Duration duration) {
		return new Expiry("+" + duration.plusNanos(999_999).toMillis());
	}

	/**
	 * Makes an expiry at an instant.
	 * @param instant the instant, 1970 or later
	 * @return the expiry
	 */
	public static Expiry at(Instant instant) {
		return new Expiry(Long.toString(instant.plusNanos(999_999).toEpochMilli()));
	}

	/**
	 * Reads an expiry from the text that {@link #toString()} returns.
	 * @param form the script argument
	 * @return the expiry
	 */
	public static Expiry of(String form) {
		if (form.isEmpty()) {
			return NEVER;
		}
		long millis = Long.parseLong(form);
		return new Expiry(form.startsWith("+") ? "+" + millis : Long.toString(millis));
	}

	/**
	 * Returns the expiry as text for the messages of exceptions.
	 * @return the text of a duration after the due time, or of an instant; empty for no
	 * expiry
	 */
	public String describe() {
		if (this.form.isEmpty()) {
			return "";
		}
		long millis = Long.parseLong(this.form);
		return this.form.startsWith("+") ? DurationText.of(Duration.ofMillis(millis)) + " after the due time"
				: Instant.ofEpochMilli(millis).toString();
	}

	/** Returns the expiry as a script argument. */
	@Override
	public String toString() {
		return this.form;
	}

}
