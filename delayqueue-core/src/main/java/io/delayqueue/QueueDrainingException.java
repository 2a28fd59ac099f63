package io.delayqueue;

import java.time.Instant;

/**
 * Thrown when a message was not scheduled, because its queue is draining: nothing was
 * stored. The caller should schedule the message again after an operator has reopened the
 * queue.
 */
public final class QueueDrainingException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final Instant since;

	/**
	 * Creates the exception.
	 * @param queue the queue
	 * @param messageId the message's id, given by the caller or generated
	 * @param since the time at which the draining began
	 */
	public QueueDrainingException(String queue, String messageId, Instant since) {
		super("Message '" + messageId + "' was not scheduled, nothing is stored: queue '" + queue
				+ "' has been draining since " + since + " and accepts no messages until DelayQueueAdmin.reopen(\""
				+ queue + "\")", queue, messageId, null);
		this.since = since;
	}

	/**
	 * Returns the time at which the draining of the queue began.
	 * @return the instant, by the clock of the Redis master
	 */
	public Instant since() {
		return this.since;
	}

}
