package io.delayqueue.queue;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Until when the messages of a queue may be handled.
 *
 * @param after for how long after its due time an attempt may begin, of a message that
 * says nothing of it, 1 ms to 3,650 d; {@code null} for ever
 * @param drop whether a message that has expired is gone; else it is dead-lettered
 */
public record ExpirySettings(@Nullable Duration after, boolean drop) {

	/** Messages that say nothing of it do not expire; those that do are dead-lettered. */
	public static final ExpirySettings NEVER = new ExpirySettings(null, false);

	/** The bounds of {@code after}. */
	public static final Bounds<Duration> AFTER = new Bounds<>(Duration.ofMillis(1), Duration.ofDays(3650));

	/** Adds what is out of its bounds. */
	void check(List<String> faults) {
		if (this.after != null) {
			AFTER.check(faults, "expiry.after", this.after);
		}
	}

}
