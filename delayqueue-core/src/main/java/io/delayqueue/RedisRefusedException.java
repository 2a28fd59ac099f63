package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when Redis answered with an error that a repeated call cannot fix: a key of this
 * library has a wrong type, a permission is missing, the server is too old, or the stored
 * data have another layout. The message of the exception names the key, the permission or
 * the version.
 */
public final class RedisRefusedException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param message what is wrong and how to fix it
	 * @param queue the queue
	 * @param messageId the message's id, {@code null} if the call was not about a single
	 * message
	 * @param cause the error of Redis, if any
	 */
	public RedisRefusedException(String message, String queue, @Nullable String messageId, @Nullable Throwable cause) {
		super(message, queue, messageId, cause);
	}

}
