package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * A message is stored in a form that this version of the library does not know: another
 * version has written it, or another program has changed it. The message stays where it
 * is; it can still be cancelled.
 */
public final class UnknownRecordException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param queue the queue
	 * @param messageId the message's id
	 * @param problem what is not known
	 * @param cause why, if there is a cause
	 */
	public UnknownRecordException(String queue, String messageId, String problem, @Nullable Throwable cause) {
		super("Message '" + messageId + "' of queue '" + queue + "' cannot be read: " + problem
				+ "; use the version of the library that wrote it, or cancel it", queue, messageId, cause);
	}

}
