package io.delayqueue;

/** The result of rescheduling a message. */
public enum RescheduleResult {

	/** The message was moved to its new due time. */
	RESCHEDULED,

	/** A consumer holds the message for its handler; nothing was written. */
	IN_FLIGHT,

	/** The message is a dead letter; nothing was written. */
	DEAD_LETTER,

	/** The queue does not have the message, or not any more; nothing was written. */
	NOT_FOUND

}
