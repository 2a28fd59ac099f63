package io.delayqueue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The largest number of messages that are handed to handlers in a period. Each delivery
 * takes a token from a bucket that holds at most {@code burst} tokens and gets
 * {@code messages} new tokens, evenly spread, in each period {@code per}. So in any
 * period {@code per} at most {@code messages} plus {@code burst} messages are handed to
 * handlers. If a burst is smaller than 3 % of {@code messages}, the bucket gets up to 3 %
 * fewer tokens, and holds up to 1.5 % of {@code messages}, so that one call can read
 * several messages.
 *
 * @param messages the number of messages, 1 to 1,000,000
 * @param per the period, 100 ms to 31 d
 * @param burst the number of messages that may be handed to handlers at once after a
 * quiet time, 1 to 1,000,000
 */
public record RateLimit(int messages, Duration per, int burst) {

	/** The upper bound of {@code messages} and of {@code burst}. */
	public static final int MOST = 1_000_000;

	/** The lower bound of {@code per}. */
	public static final Duration SHORTEST = Duration.ofMillis(100);

	/** The upper bound of {@code per}. */
	public static final Duration LONGEST = Duration.ofDays(31);

	private static final int DEFAULT_SHARE = 10;

	/**
	 * Checks all components of the limit; the exception names all faults.
	 * @throws IllegalArgumentException if a component is out of its bounds
	 */
	public RateLimit {
		List<String> faults = new ArrayList<>();
		check(faults, "messages", messages);
		if (per.compareTo(SHORTEST) < 0 || per.compareTo(LONGEST) > 0) {
			faults.add("per is " + DurationText.of(per) + " but must be from " + DurationText.of(SHORTEST) + " to "
					+ DurationText.of(LONGEST));
		}
		check(faults, "burst", burst);
		if (!faults.isEmpty()) {
			throw new IllegalArgumentException("Rate limit: " + String.join("; ", faults));
		}
	}

	private static void check(List<String> faults, String name, int value) {
		if (value < 1 || value > MOST) {
			faults.add(name + " is " + value + " but must be from 1 to " + MOST);
		}
	}

	/**
	 * Creates a rate limit whose burst is a tenth of {@code messages}, at least 1.
	 * @param messages the number of messages, 1 to 1,000,000
	 * @param per the period, 100 ms to 31 d
	 * @return the limit
	 * @throws IllegalArgumentException if a value is out of its bounds
	 */
	public static RateLimit of(int messages, Duration per) {
		return new RateLimit(messages, per, Math.max(1, messages / DEFAULT_SHARE));
	}

	/**
	 * Returns a copy of this rate limit with another burst.
	 * @param burst the number of messages that may be handed to handlers at once after a
	 * quiet time, 1 to 1,000,000
	 * @return the limit
	 * @throws IllegalArgumentException if the burst is out of its bounds
	 */
	public RateLimit withBurst(int burst) {
		return new RateLimit(this.messages, this.per, burst);
	}

	/**
	 * Returns the time from one new token of the bucket to the next.
	 * @return microseconds, more than 0
	 */
	public double intervalMicros() {
		return this.per.toNanos() / 1e3 / this.messages;
	}

	@Override
	public String toString() {
		return this.messages + " per " + DurationText.of(this.per) + ", burst " + this.burst;
	}

}
