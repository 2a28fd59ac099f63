package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a call to Redis did not succeed within the deadline. If {@code schedule}
 * throws this exception, nothing was stored. If another method throws this exception,
 * such as {@code cancel}, {@code reschedule} or {@code find}, the call may or may not
 * have taken effect. The caller should repeat the failed call later: the repetition is
 * safe, and returns the result of the operation. After the application has stopped, every
 * call fails at once with this exception.
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
