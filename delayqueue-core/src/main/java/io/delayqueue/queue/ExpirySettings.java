package io.delayqueue.queue;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The settings for the expiry of messages of a queue: when a message expires, and what
 * happens to an expired message.
 *
 * @param after how long after its due time an attempt to handle a message may still
 * begin, unless the message has an expiry of its own; 1 ms to 3,650 d, {@code null} for
 * no limit
 * @param drop whether an expired message is dropped; otherwise it is dead-lettered
 */
public record ExpirySettings(@Nullable Duration after, boolean drop) {

	/**
	 * Settings with which a message expires only if it has an expiry of its own. An
	 * expired message is dead-lettered.
	 */
	public static final ExpirySettings NEVER = new ExpirySettings(null, false);

	/** The bounds of {@code after}. */
	public static final Bounds<Duration> AFTER = new Bounds<>(Duration.ofMillis(1), Duration.ofDays(3650));

	/** Adds an error message for each setting that is out of its bounds. */
	void check(List<String> faults) {
		if (this.after != null) {
			AFTER.check(faults, "expiry.after", this.after);
		}
	}

}
