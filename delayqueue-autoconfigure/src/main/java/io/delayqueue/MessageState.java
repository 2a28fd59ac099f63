package io.delayqueue;

/** Where a message is on its journey. */
public enum MessageState {

	/** Waits for its due time, or for its next attempt. */
	SCHEDULED,

	/** Is due and waits in the stream for a free consumer. */
	READY,

	/** Was delivered to a consumer and is not settled yet. */
	PENDING,

	/** Is due but waits aside because its group is at its limit. */
	PARKED,

	/** Was set aside with a reason and waits for a human. */
	DEAD

}
