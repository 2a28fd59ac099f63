package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a message may or may not have been stored: the connection broke or timed
 * out after the request was sent, and the repetitions within the deadline got no reply
 * either. After a call with a {@link ScheduleRequest}, the caller should schedule the
 * message again <em>with the same id</em>: Redis stores the message only once. After
 * {@link RecurringOperations#runNow}, which schedules another message in each call, the
 * caller should first look for the message.
 */
public final class ScheduleOutcomeUnknownException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final String id;

	/**
	 * Creates the exception.
	 * @param queue the queue
	 * @param id the message's id, given by the caller or generated
	 * @param cause the last failure
	 */
	public ScheduleOutcomeUnknownException(String queue, String id, Throwable cause) {
		this("It is unknown whether message '" + id + "' was scheduled to queue '" + queue
				+ "'; schedule it again with the same id", queue, id, cause);
	}

	private ScheduleOutcomeUnknownException(String message, String queue, String id, @Nullable Throwable cause) {
		super(message, queue, id, cause);
		this.id = id;
	}

	/**
	 * Creates the exception for a further occurrence of a recurring schedule, whose id
	 * the caller cannot choose.
	 * @param queue the queue
	 * @param key the key of the recurring schedule
	 * @param id the generated id of the message
	 * @param cause the last failure, if any
	 * @return the exception
	 */
	public static ScheduleOutcomeUnknownException ofOccurrence(String queue, String key, String id,
			@Nullable Throwable cause) {
		return new ScheduleOutcomeUnknownException(
				"It is unknown whether message '" + id + "' of recurring schedule '" + key
						+ "' was scheduled to queue '" + queue + "'; look whether the queue has the message, or has"
						+ " handled it, before you call runNow again, because runNow schedules another message",
				queue, id, cause);
	}

	/**
	 * {@return the id of the message, given by the caller or generated}
	 */
	@Override
	public String messageId() {
		return this.id;
	}

}
