package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * The root of what this library throws. A subclass exists where a caller would act
 * differently.
 */
public abstract class DelayQueueException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final @Nullable String queue;

	private final @Nullable String messageId;

	/**
	 * Creates the exception.
	 * @param message what happened and what to do
	 * @param queue the queue, if one is concerned
	 * @param messageId the message's id, if one is concerned
	 * @param cause why, if there is a cause
	 */
	protected DelayQueueException(String message, @Nullable String queue, @Nullable String messageId,
			@Nullable Throwable cause) {
		super(message, cause);
		this.queue = queue;
		this.messageId = messageId;
	}

	/**
	 * The queue concerned.
	 * @return the queue's name, or {@code null} if no single queue is concerned
	 */
	public @Nullable String queue() {
		return this.queue;
	}

	/**
	 * The message concerned.
	 * @return the message's id, or {@code null} if no single message is concerned
	 */
	public @Nullable String messageId() {
		return this.messageId;
	}

}
