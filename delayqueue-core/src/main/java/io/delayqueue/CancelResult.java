package io.delayqueue;

/** The result of cancelling a message. */
public enum CancelResult {

	/** The message was removed before its delivery; no listener receives it. */
	CANCELLED,

	/**
	 * The message was removed while a consumer held it. The consumer is notified, but the
	 * handler may finish: {@link DelayedMessage#isCancelled()} shows the cancellation,
	 * and a handler that is {@link DelayedListener#interruptible()} is interrupted. The
	 * cancelled message is neither retried nor redelivered. A new message with the id of
	 * the cancelled message can be scheduled.
	 */
	IN_FLIGHT,

	/** The cancelled message was a dead letter, and was removed from the dead letters. */
	DEAD_LETTER,

	/** The queue does not have the message, or not any more; nothing was written. */
	NOT_FOUND

}
