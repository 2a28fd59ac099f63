package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * The answer for one message of {@link DelayQueueOperations#scheduleAll}. Exactly one of
 * {@code result} and {@code failure} is set.
 *
 * @param id the message's id, given or generated: use it to repeat the message
 * @param result what happened, as for a single {@code schedule}
 * @param failure why there is no result: {@link DelayQueueUnavailableException} (nothing
 * stored), {@link ScheduleOutcomeUnknownException} (repeat with the id),
 * {@link InvalidMessageException}, {@link QueueDrainingException},
 * {@link QuotaExceededException}, {@link DuplicateMessageException} or
 * {@link RedisRefusedException}
 */
public record ScheduleAnswer(String id, @Nullable ScheduleResult result, @Nullable DelayQueueException failure) {

	/**
	 * Checks that there is one answer.
	 */
	public ScheduleAnswer {
		if ((result == null) == (failure == null)) {
			throw new IllegalArgumentException("Exactly one of result and failure must be set for '" + id + "'");
		}
	}

	/**
	 * Whether the message was stored by this call.
	 * @return {@code false} if the id was known already, or there is a failure
	 */
	public boolean isAccepted() {
		return this.result != null && this.result.isAccepted();
	}

}
