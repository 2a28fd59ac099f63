package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Redis did not carry out the call within the deadline, and it is certain that nothing
 * was stored by it; for {@code cancel}, {@code reschedule} and {@code find}: repeating
 * the call is safe and will tell. Try again later. Thrown at once when the application
 * has stopped.
 */
public final class DelayQueueUnavailableException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param message what was tried, for how long, and the last answer
	 * @param queue the queue
	 * @param messageId the message's id, if one is concerned
	 * @param cause the last failure
	 */
	public DelayQueueUnavailableException(String message, String queue, @Nullable String messageId,
			@Nullable Throwable cause) {
		super(message, queue, messageId, cause);
	}

}
