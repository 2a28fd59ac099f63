package io.delayqueue.event;

import io.delayqueue.DelayedListener;

/**
 * A message expired before an attempt to handle it began.
 *
 * @param queue the queue
 * @param id the message's id
 * @param outcome what happened to the message
 */
public record MessageExpiredEvent(String queue, String id, Outcome outcome) implements DelayQueueEvent {

	/** What happened to an expired message. */
	public enum Outcome {

		/** The expired message was removed. */
		DROPPED,

		/** The expired message was dead-lettered. */
		DEAD_LETTERED,

		/**
		 * The method for expired messages ({@link DelayedListener#expired()}) has handled
		 * the expired message.
		 */
		HANDED_OVER

	}

}
