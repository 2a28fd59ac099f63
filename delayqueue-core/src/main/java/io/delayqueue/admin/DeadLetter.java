package io.delayqueue.admin;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A message that is not delivered any more and is kept, with a reason, until an operator
 * redrives or discards it.
 *
 * @param queue the queue
 * @param id the message's id
 * @param group the group key, {@code null} if the message has none
 * @param diedAt when the message was dead-lettered, by the clock of the Redis master
 * @param reason the reason, one of {@link #REASONS}; {@code UNKNOWN} if this library did
 * not write the dead letter
 * @param exception the class of the last exception, {@code null} if there was none
 * @param message the message of the last exception, or another explanation; cut at 500
 * characters
 * @param failures the number of deliveries that failed
 * @param crashes the number of deliveries whose consumer stopped renewing its lease on
 * the message
 */
public record DeadLetter(String queue, String id, @Nullable String group, Instant diedAt, String reason,
		@Nullable String exception, String message, int failures, int crashes) {

	/** The reasons that a dead letter can have. */
	public static final List<String> REASONS = List.of("HANDLER_FAILED", "NEVER_RETRIED", "TIMED_OUT", "UNREADABLE",
			"DEFERRED_TOO_OFTEN", "CRASHED", "EXPIRED", "UNKNOWN");

	/**
	 * Returns the number of deliveries of the message that failed or whose consumer
	 * crashed.
	 * @return the sum of failures and crashes
	 */
	public int attempts() {
		return this.failures + this.crashes;
	}

}
