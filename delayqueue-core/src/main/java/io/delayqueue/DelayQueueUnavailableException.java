package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Redis did not carry out the call within the deadline. Thrown by {@code schedule}, it
 * guarantees that nothing was stored. Thrown by another method, such as {@code cancel},
 * {@code reschedule} or {@code find}, the call may or may not have taken effect;
 * repeating it is safe and returns the result. Try again later. Thrown at once after the
 * application has stopped.
 */
public final class DelayQueueUnavailableException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param message the call, the time spent on it, and the last error
	 * @param queue the queue
	 * @param messageId the message's id, {@code null} if the call was not about a single
	 * message
	 * @param cause the last failure
	 */
	public DelayQueueUnavailableException(String message, String queue, @Nullable String messageId,
			@Nullable Throwable cause) {
		super(message, queue, messageId, cause);
	}

}
