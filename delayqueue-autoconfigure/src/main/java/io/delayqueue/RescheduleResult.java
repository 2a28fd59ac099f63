package io.delayqueue;

/** What became of a message that was to be rescheduled. */
public enum RescheduleResult {

	/** The message has its new due time. */
	RESCHEDULED,

	/** A consumer has the message already; nothing was written. */
	IN_FLIGHT,

	/** The message is among the dead letters; nothing was written. */
	DEAD_LETTER,

	/** The queue does not know the message (any more); nothing was written. */
	NOT_FOUND

}
