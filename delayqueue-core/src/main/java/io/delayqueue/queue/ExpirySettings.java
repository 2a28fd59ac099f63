package io.delayqueue.queue;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The expiry of the messages of a queue.
 *
 * @param after for how long after its due time an attempt may begin, for a message
 * without an expiry of its own, 1 ms to 3,650 d; {@code null} for ever
 * @param drop whether an expired message is dropped; otherwise it is dead-lettered
 */
public record ExpirySettings(@Nullable Duration after, boolean drop) {

	/** Only messages with an expiry of their own expire, as dead letters. */
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
