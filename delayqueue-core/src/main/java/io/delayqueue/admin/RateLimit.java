package io.delayqueue.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.queue.Bounds;

/**
 * The most messages that are handed to handlers in a time. Each delivery takes a token
 * from a bucket that holds {@code burst} tokens and gets {@code messages} new ones,
 * evenly spread, in each {@code per}. So in any time of that length at most
 * {@code messages} plus {@code burst} messages are handed over.
 *
 * @param messages how many messages, 1 to 1,000,000
 * @param per in which time, 100 ms to 31 d
 * @param burst how many of them at once after a quiet time, 1 to 1,000,000
 */
public record RateLimit(int messages, Duration per, int burst) {

	/** The bounds of {@code messages}. */
	public static final Bounds<Integer> MESSAGES = new Bounds<>(1, 1_000_000);

	/** The bounds of {@code per}. */
	public static final Bounds<Duration> PER = new Bounds<>(Duration.ofMillis(100), Duration.ofDays(31));

	/** The bounds of {@code burst}. */
	public static final Bounds<Integer> BURST = new Bounds<>(1, 1_000_000);

	private static final int DEFAULT_SHARE = 10;

	/**
	 * Checks all components and names every fault at once.
	 * @throws IllegalArgumentException if a component is out of its bounds
	 */
	public RateLimit {
		List<String> faults = new ArrayList<>();
		MESSAGES.check(faults, "messages", messages);
		PER.check(faults, "per", per);
		BURST.check(faults, "burst", burst);
		if (!faults.isEmpty()) {
			throw new IllegalArgumentException("Rate limit: " + String.join("; ", faults));
		}
	}

	/**
	 * A limit with a burst of a tenth of the messages, at least one.
	 * @param messages how many messages, 1 to 1,000,000
	 * @param per in which time, 100 ms to 31 d
	 * @return the limit
	 * @throws IllegalArgumentException if a value is out of its bounds
	 */
	public static RateLimit of(int messages, Duration per) {
		return new RateLimit(messages, per, Math.max(1, messages / DEFAULT_SHARE));
	}

	/**
	 * The same limit with another burst.
	 * @param burst how many messages at once after a quiet time, 1 to 1,000,000
	 * @return the limit
	 * @throws IllegalArgumentException if the burst is out of its bounds
	 */
	public RateLimit withBurst(int burst) {
		return new RateLimit(this.messages, this.per, burst);
	}

	/**
	 * The time from one token to the next one.
	 * @return microseconds, more than 0
	 */
	public double intervalMicros() {
		return this.per.toNanos() / 1e3 / this.messages;
	}

	@Override
	public String toString() {
		return this.messages + " per " + this.per + ", burst " + this.burst;
	}

}
