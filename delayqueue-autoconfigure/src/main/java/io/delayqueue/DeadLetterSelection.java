package io.delayqueue;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Which dead letters of a queue to redrive or discard, and how many at most. Immutable.
 *
 * @param queue the queue
 * @param reason only those with this reason, {@code null} for any
 * @param limit the most dead letters, 1 to 100,000, the oldest first
 * @param spread over how long to spread what is redriven, so that it does not all come at
 * once; 0 to 7 days
 */
public record DeadLetterSelection(String queue, @Nullable String reason, int limit, Duration spread) {

	private static final int MOST = 100_000;

	private static final Duration LONGEST = Duration.ofDays(7);

	/**
	 * Checks the parts.
	 * @throws InvalidMessageException if a part breaks its rule
	 */
	public DeadLetterSelection {
		Rules.queue(queue);
		if (limit < 1 || limit > MOST) {
			throw Rules.invalid("limit", limit, "from 1 to " + MOST);
		}
		if (spread.isNegative() || spread.compareTo(LONGEST) > 0) {
			throw Rules.invalid("spread", spread, "from 0 to " + LONGEST);
		}
	}

	/**
	 * Up to 1,000 dead letters of any reason, redriven at once.
	 * @param queue the queue
	 * @return the selection
	 */
	public static DeadLetterSelection of(String queue) {
		return new DeadLetterSelection(queue, null, 1000, Duration.ZERO);
	}

	/**
	 * Only those with a reason.
	 * @param reason the reason, as in {@link DeadLetter#reason()}
	 * @return the new selection
	 */
	public DeadLetterSelection because(String reason) {
		return new DeadLetterSelection(this.queue, reason, this.limit, this.spread);
	}

	/**
	 * No more than so many.
	 * @param limit the most dead letters, 1 to 100,000
	 * @return the new selection
	 */
	public DeadLetterSelection atMost(int limit) {
		return new DeadLetterSelection(this.queue, this.reason, limit, this.spread);
	}

	/**
	 * Spread over a time.
	 * @param spread 0 to 7 days
	 * @return the new selection
	 */
	public DeadLetterSelection spreadOver(Duration spread) {
		return new DeadLetterSelection(this.queue, this.reason, this.limit, spread);
	}

}
