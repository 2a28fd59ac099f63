package io.delayqueue.event;

import io.delayqueue.DelayedListener;
import org.jspecify.annotations.Nullable;

/**
 * A message expired before an attempt to handle it began.
 *
 * @param queue the queue
 * @param id the message's id
 * @param group the group key, {@code null} if the message has none
 * @param outcome what happened to the message
 */
public record MessageExpiredEvent(String queue, String id, @Nullable String group,
		Outcome outcome) implements DelayQueueEvent {

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
