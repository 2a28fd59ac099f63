package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;

/**
 * Until when an attempt to handle a message may begin, as the scripts take it.
 */
public final class Expiry {

	/** For ever. */
	public static final Expiry NEVER = new Expiry("");

	private final String form;

	private Expiry(String form) {
		this.form = form;
	}

	/**
	 * For some time after the due time; it moves along when that is moved.
	 * @param duration 1 ms or more
	 * @return the expiry
	 */
	public static Expiry after(Duration duration) {
		return new Expiry("+" + duration.plusNanos(999_999).toMillis());
	}

	/**
	 * Until a moment.
	 * @param instant 1970 or later
	 * @return the expiry
	 */
	public static Expiry at(Instant instant) {
		return new Expiry(Long.toString(instant.plusNanos(999_999).toEpochMilli()));
	}

	/**
	 * What it is, for a human.
	 * @return a duration after the due time, or an instant; empty if it is for ever
	 */
	public String describe() {
		if (this.form.isEmpty()) {
			return "";
		}
		long millis = Long.parseLong(this.form);
		return this.form.startsWith("+") ? Duration.ofMillis(millis) + " after the due time"
				: Instant.ofEpochMilli(millis).toString();
	}

	byte[] toBytes() {
		return Reply.bytes(this.form);
	}

	@Override
	public String toString() {
		return this.form;
	}

}
