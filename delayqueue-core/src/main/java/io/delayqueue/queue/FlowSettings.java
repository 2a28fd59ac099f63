package io.delayqueue.queue;

import java.time.Duration;
import java.util.List;

import io.delayqueue.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a queue, which apply to the handlers of all processes together.
 *
 * @param rateLimit the highest rate at which messages are handed to handlers,
 * {@code null} for no limit; a rate limit that an operator has stored in Redis replaces
 * this limit
 * @param maxInFlight the most pending messages at once, 1 to 1,000,000; 0 for any number
 */
public record FlowSettings(@Nullable RateLimit rateLimit, int maxInFlight) {

	/** Settings without limits. */
	public static final FlowSettings NONE = new FlowSettings(null, 0);

	/** The bounds of a rate limit's number of messages and of its burst. */
	public static final Bounds<Integer> RATE = new Bounds<>(1, RateLimit.MOST);

	/** The bounds of {@code per}, the time in which a rate limit allows its messages. */
	public static final Bounds<Duration> PER = new Bounds<>(RateLimit.SHORTEST, RateLimit.LONGEST);

	/** The bounds of {@code maxInFlight} other than 0. */
	public static final Bounds<Integer> MAX_IN_FLIGHT = new Bounds<>(1, 1_000_000);

	/**
	 * Whether the queue has a rate limit or a limit of pending messages.
	 * @return {@code true} if a limit is set
	 */
	public boolean isLimited() {
		return this.rateLimit != null || this.maxInFlight > 0;
	}

	/** Adds an error message for each setting that is out of its bounds. */
	void check(List<String> faults) {
		if (this.maxInFlight != 0) {
			MAX_IN_FLIGHT.check(faults, "max-in-flight", this.maxInFlight);
		}
	}

}
