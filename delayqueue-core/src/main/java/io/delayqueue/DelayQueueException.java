package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Root of the exceptions that the operations of this library throw. A subclass exists for
 * each kind of failure to which a caller should react differently.
 */
public abstract class DelayQueueException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final @Nullable String queue;

	private final @Nullable String messageId;

	/**
	 * Creates the exception.
	 * @param message what happened and what to do
	 * @param queue the queue, {@code null} if the failure is not about a single queue
	 * @param messageId the message's id, {@code null} if the failure is not about a
	 * single message
	 * @param cause the cause, if any
	 */
	protected DelayQueueException(String message, @Nullable String queue, @Nullable String messageId,
			@Nullable Throwable cause) {
		super(message, cause);
		this.queue = queue;
		this.messageId = messageId;
	}

	/**
	 * Returns the name of the queue that the failure is about.
	 * @return the queue's name, {@code null} if the failure is not about a single queue
	 */
	public @Nullable String queue() {
		return this.queue;
	}

	/**
	 * Returns the id of the message that the failure is about.
	 * @return the message's id, {@code null} if the failure is not about a single message
	 */
	public @Nullable String messageId() {
		return this.messageId;
	}

}
