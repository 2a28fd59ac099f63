package io.delayqueue;

/**
 * Thrown when a message may or may not have been stored: the connection broke or timed
 * out after the request was sent, and the repetitions within the deadline got no reply
 * either. The caller should schedule the message again <em>with the same id</em>: Redis
 * stores the message only once.
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
		super("It is unknown whether message '" + id + "' was scheduled to queue '" + queue
				+ "'; schedule it again with the same id", queue, id, cause);
		this.id = id;
	}

	/**
	 * {@return the message id with which the caller should repeat the call}
	 */
	@Override
	public String messageId() {
		return this.id;
	}

}
