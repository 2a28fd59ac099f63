package io.delayqueue;

/** The state of a message. */
public enum MessageState {

	/** The message waits for its due time, or for its next attempt. */
	SCHEDULED,

	/** The message is due and waits in the stream for a consumer. */
	READY,

	/** The message was delivered to a consumer and is not settled yet. */
	PENDING,

	/** The message is due, but waits because its group is at its limit. */
	PARKED,

	/**
	 * The message is a dead letter: it waits for an operator to redrive or discard it.
	 */
	DEAD,

	/**
	 * The message has ended, and its queue keeps a history. See
	 * {@link MessageSnapshot#end()}.
	 */
	FINISHED

}
