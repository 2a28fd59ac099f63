package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * The answer for one message of {@link DelayQueueOperations#scheduleAll}. Either
 * {@code result} or {@code failure} is set.
 *
 * @param id the message's id, given by the caller or generated: use it to repeat the call
 * @param result the result, as for a single {@code schedule}
 * @param failure the failure: {@link DelayQueueUnavailableException} (nothing stored),
 * {@link ScheduleOutcomeUnknownException} (repeat with the id),
 * {@link InvalidMessageException}, {@link QueueDrainingException},
 * {@link QuotaExceededException}, {@link DuplicateMessageException} or
 * {@link RedisRefusedException}
 */
public record ScheduleAnswer(String id, @Nullable ScheduleResult result, @Nullable DelayQueueException failure) {

	/**
	 * Checks that exactly one of result and failure is set.
	 */
	public ScheduleAnswer {
		if ((result == null) == (failure == null)) {
			throw new IllegalArgumentException("Exactly one of result and failure must be set for '" + id + "'");
		}
	}

	/**
	 * Returns whether this call stored the message.
	 * @return {@code false} if the id existed already, or if there is a failure
	 */
	public boolean isAccepted() {
		return this.result != null && this.result.isAccepted();
	}

}
