package io.delayqueue;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A message that was set aside.
 *
 * @param queue the queue
 * @param id the message's id
 * @param diedAt when it was set aside, by the clock of the Redis master
 * @param reason a word for why: {@code HANDLER_FAILED}, {@code NEVER_RETRIED},
 * {@code UNREADABLE}, {@code DEFERRED_TOO_OFTEN}, {@code CRASHED} or {@code EXPIRED};
 * {@code UNKNOWN} if somebody else wrote it
 * @param exception the class of the last exception, {@code null} if there was none
 * @param message what the last exception said, or why otherwise; cut at 500 characters
 * @param failures how many deliveries ended with an exception
 * @param crashes how many deliveries ended with the silence of their process
 */
public record DeadLetter(String queue, String id, Instant diedAt, String reason, @Nullable String exception,
		String message, int failures, int crashes) {

	/**
	 * How many deliveries there were.
	 * @return failures and crashes
	 */
	public int attempts() {
		return this.failures + this.crashes;
	}

}
