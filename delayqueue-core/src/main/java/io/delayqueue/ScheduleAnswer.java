package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * The answer for one request of {@link DelayQueueOperations#scheduleAll}. Either
 * {@code result} or {@code failure} is set.
 *
 * @param id the message's id, given by the caller or generated: a repeated call must use
 * this id
 * @param result the result that a call of {@code schedule} would return; {@code null} if
 * there is a failure
 * @param failure the failure, {@code null} if there is a result:
 * {@link DelayQueueUnavailableException} (nothing stored),
 * {@link ScheduleOutcomeUnknownException} (repeat with the id),
 * {@link InvalidMessageException}, {@link QueueDrainingException},
 * {@link QuotaExceededException}, {@link DuplicateMessageException} or
 * {@link RedisRefusedException}
 */
public record ScheduleAnswer(String id, @Nullable ScheduleResult result, @Nullable DelayQueueException failure) {

	/**
	 * Checks that either the result or the failure is set, but not both.
	 */
	public ScheduleAnswer {
		if ((result == null) == (failure == null)) {
			throw new IllegalArgumentException("Exactly one of result and failure must be set for '" + id + "'");
		}
	}

	/**
	 * Returns whether the call stored the message.
	 * @return {@code false} if nothing was written because the id existed already, or if
	 * there is a failure
	 */
	public boolean isAccepted() {
		return this.result != null && this.result.isAccepted();
	}

}
