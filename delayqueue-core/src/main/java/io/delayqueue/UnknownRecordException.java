package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a message is stored in a form that this version of the library does not
 * support: another version of the library has written the record of the message, or
 * another program has changed the record. The stored message stays unchanged, and can
 * still be cancelled.
 */
public final class UnknownRecordException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param queue the queue
	 * @param messageId the message's id
	 * @param problem what is not supported
	 * @param cause the cause, if any
	 */
	public UnknownRecordException(String queue, String messageId, String problem, @Nullable Throwable cause) {
		super("Message '" + messageId + "' of queue '" + queue + "' cannot be read: " + problem
				+ "; use the version of the library that wrote it, or cancel it", queue, messageId, cause);
	}

}
