package io.delayqueue.queue;

import java.time.Duration;
import java.util.List;

import io.delayqueue.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * How much of a queue is handed to handlers, over all processes together.
 *
 * @param rateLimit the most messages in a time, {@code null} for any number; a value that
 * an operator has set replaces it
 * @param maxInFlight the most messages that are pending at once, 1 to 1,000,000; 0 for
 * any number
 */
public record FlowSettings(@Nullable RateLimit rateLimit, int maxInFlight) {

	/** No limits. */
	public static final FlowSettings NONE = new FlowSettings(null, 0);

	/** The bounds of the messages and of the burst of a rate limit. */
	public static final Bounds<Integer> RATE = new Bounds<>(1, RateLimit.MOST);

	/** The bounds of the time of a rate limit. */
	public static final Bounds<Duration> PER = new Bounds<>(RateLimit.SHORTEST, RateLimit.LONGEST);

	/** The bounds of {@code maxInFlight}, if it is set. */
	public static final Bounds<Integer> MAX_IN_FLIGHT = new Bounds<>(1, 1_000_000);

	/**
	 * Whether the queue has a limit.
	 * @return {@code true} if any limit is set
	 */
	public boolean isLimited() {
		return this.rateLimit != null || this.maxInFlight > 0;
	}

	/** Adds a fault for each setting that is out of its bounds. */
	void check(List<String> faults) {
		if (this.maxInFlight != 0) {
			MAX_IN_FLIGHT.check(faults, "max-in-flight", this.maxInFlight);
		}
	}

}
