package io.delayqueue;

/** What became of a message that was to be cancelled. */
public enum CancelResult {

	/** From now on no listener will get the message. */
	CANCELLED,

	/**
	 * A consumer has the message already. Its handler may finish; no retry and no
	 * redelivery will follow, and the id can be scheduled anew.
	 */
	IN_FLIGHT,

	/** The message was among the dead letters; it has been removed from them. */
	DEAD_LETTER,

	/** The queue does not know the message (any more); nothing was written. */
	NOT_FOUND

}
