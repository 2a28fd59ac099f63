package io.delayqueue.queue;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * When messages of a queue expire, and what happens to expired ones.
 *
 * @param after the time after the due time of a message within which an attempt may
 * begin, for messages without an expiry of their own, 1 ms to 3,650 d; {@code null} for
 * any time
 * @param drop whether an expired message is dropped; otherwise it is dead-lettered
 */
public record ExpirySettings(@Nullable Duration after, boolean drop) {

	/** Only messages with an expiry of their own expire, and are then dead-lettered. */
	public static final ExpirySettings NEVER = new ExpirySettings(null, false);

	/** The bounds of {@code after}. */
	public static final Bounds<Duration> AFTER = new Bounds<>(Duration.ofMillis(1), Duration.ofDays(3650));

	/** Adds a fault for each setting that is out of its bounds. */
	void check(List<String> faults) {
		if (this.after != null) {
			AFTER.check(faults, "expiry.after", this.after);
		}
	}

}
