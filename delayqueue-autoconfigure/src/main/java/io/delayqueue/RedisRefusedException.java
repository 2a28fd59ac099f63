package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Redis answered with an error that no repetition will mend: a key of ours holds a
 * foreign type, a right is missing, the server is too old, or the stored data belong to
 * another layout. The message names the key, the right or the version.
 */
public final class RedisRefusedException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param message what is wrong and how to mend it
	 * @param queue the queue
	 * @param messageId the message's id, if one is concerned
	 * @param cause what Redis said, if it said it with an error
	 */
	public RedisRefusedException(String message, String queue, @Nullable String messageId, @Nullable Throwable cause) {
		super(message, queue, messageId, cause);
	}

}
