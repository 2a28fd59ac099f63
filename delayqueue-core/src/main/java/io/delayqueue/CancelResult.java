package io.delayqueue;

/** The result of cancelling a message. */
public enum CancelResult {

	/** The message was removed before its delivery; no listener receives it. */
	CANCELLED,

	/**
	 * The message was removed while a consumer held it. The consumer is notified, but the
	 * handler may finish: {@link DelayedMessage#isCancelled()} shows the cancellation,
	 * and a handler that is {@link DelayedListener#interruptible()} is interrupted. No
	 * retry and no redelivery follows. The id can be scheduled again.
	 */
	IN_FLIGHT,

	/** The message was a dead letter and was removed. */
	DEAD_LETTER,

	/** The queue has no such message, or no longer has it; nothing was written. */
	NOT_FOUND

}
