package io.delayqueue;

/**
 * A message was not handled, because it had expired before its attempt could begin.
 *
 * @param queue the queue
 * @param id the message's id
 * @param outcome what became of it
 */
public record MessageExpiredEvent(String queue, String id, Outcome outcome) implements DelayQueueEvent {

	/** What became of a message that has expired. */
	public enum Outcome {

		/** It is gone. */
		DROPPED,

		/** It was set aside among the dead letters. */
		DEAD_LETTERED,

		/** The method of its queue that takes expired messages has handled it. */
		HANDED_OVER

	}

}
