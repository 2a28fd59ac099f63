package io.delayqueue.admin;

import java.time.Duration;

import io.delayqueue.DurationText;
import io.delayqueue.InvalidMessageException;
import org.jspecify.annotations.Nullable;

/**
 * Selects the dead letters of a queue that an operator redrives or discards, or those of
 * all queues that an operator redrives. Instances are immutable.
 *
 * @param queue the queue; {@value #ALL_QUEUES} for all queues of the key prefix
 * @param reason the reason of the selected dead letters, {@code null} for any reason
 * @param limit the most dead letters, 1 to 100,000; in each partition the oldest are
 * selected first
 * @param spread the time over which the due times of redriven messages are spread at
 * random, to avoid a burst: 0 to 7 days; 0 makes all redriven messages due at once
 */
public record DeadLetterSelection(String queue, @Nullable String reason, int limit, Duration spread) {

	/** The name that stands for all queues. No queue has this name. */
	public static final String ALL_QUEUES = "*";

	private static final int MOST = 100_000;

	private static final Duration LONGEST = Duration.ofDays(7);

	/**
	 * Checks the reason and the bounds of the limit and of the spread.
	 * @throws InvalidMessageException if the reason does not exist, or another component
	 * is out of its bounds
	 */
	public DeadLetterSelection {
		if (reason != null && !DeadLetter.REASONS.contains(reason)) {
			throw new InvalidMessageException("reason", reason, "one of " + String.join(", ", DeadLetter.REASONS));
		}
		if (limit < 1 || limit > MOST) {
			throw new InvalidMessageException("limit", String.valueOf(limit), "from 1 to " + MOST);
		}
		if (spread.isNegative() || spread.compareTo(LONGEST) > 0) {
			throw new InvalidMessageException("spread", DurationText.of(spread),
					"from 0 to " + DurationText.of(LONGEST));
		}
	}

	/**
	 * Selects up to 1,000 dead letters of a queue, whatever their reason; a redrive makes
	 * all of them due at once.
	 * @param queue the queue
	 * @return the selection
	 */
	public static DeadLetterSelection of(String queue) {
		return new DeadLetterSelection(queue, null, 1000, Duration.ZERO);
	}

	/**
	 * Selects up to 1,000 dead letters of all queues of the key prefix, whatever their
	 * reason; queues follow each other by name. Only for a redrive.
	 * @return the selection
	 */
	public static DeadLetterSelection ofAllQueues() {
		return of(ALL_QUEUES);
	}

	/**
	 * Returns a selection of dead letters that have a given reason.
	 * @param reason the reason, as in {@link DeadLetter#reason()}
	 * @return the new selection
	 */
	public DeadLetterSelection because(String reason) {
		return new DeadLetterSelection(this.queue, reason, this.limit, this.spread);
	}

	/**
	 * Returns a selection of dead letters with another limit.
	 * @param limit the most dead letters, 1 to 100,000
	 * @return the new selection
	 */
	public DeadLetterSelection atMost(int limit) {
		return new DeadLetterSelection(this.queue, this.reason, limit, this.spread);
	}

	/**
	 * Returns a selection with a time over which a redrive spreads the due times of the
	 * messages.
	 * @param spread the time, 0 to 7 days; 0 makes all redriven messages due at once
	 * @return the new selection
	 */
	public DeadLetterSelection spreadOver(Duration spread) {
		return new DeadLetterSelection(this.queue, this.reason, this.limit, spread);
	}

}
