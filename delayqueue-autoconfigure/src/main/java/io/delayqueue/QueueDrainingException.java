package io.delayqueue;

import java.time.Instant;

/**
 * A message was not scheduled, because an operator lets its queue run empty: nothing was
 * stored. Try again when the queue has been reopened.
 */
public final class QueueDrainingException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final Instant since;

	/**
	 * Creates the exception.
	 * @param queue the queue
	 * @param messageId the message's id, given by the caller or generated
	 * @param since since when the queue accepts nothing
	 */
	public QueueDrainingException(String queue, String messageId, Instant since) {
		super("Message '" + messageId + "' was not scheduled, nothing is stored: queue '" + queue
				+ "' has been draining since " + since + " and accepts nothing until DelayQueueAdmin.reopen(\"" + queue
				+ "\")", queue, messageId, null);
		this.since = since;
	}

	/**
	 * Since when the queue accepts nothing.
	 * @return the instant, by the clock of the Redis master
	 */
	public Instant since() {
		return this.since;
	}

}
