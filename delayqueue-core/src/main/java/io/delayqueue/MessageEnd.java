package io.delayqueue;

import java.time.Instant;

/**
 * How a message has ended, or how it became a dead letter. Only queues that keep a
 * history record ends.
 *
 * @param how how it has ended
 * @param at when, by the clock of the Redis master
 * @param where the process that ended it: a consumer, or the process in which the
 * application or an operator did
 */
public record MessageEnd(How how, Instant at, String where) {

	/** How a message can end. */
	public enum How {

		/** The handler has handled the message. */
		ACKNOWLEDGED,

		/** The message became a dead letter, which may have been redriven since. */
		DEAD_LETTERED,

		/** The application or an operator cancelled the message. */
		CANCELLED,

		/**
		 * The message expired before an attempt began, and its queue drops expired
		 * messages.
		 */
		EXPIRED,

		/**
		 * The message was the oldest one of a group at its quota, and was dropped for a
		 * new message.
		 */
		DROPPED,

		/** An operator purged the queue. */
		PURGED,

		/** An operator discarded the message, which was a dead letter. */
		DISCARDED,

		/** It was a dead letter, and the dead-letter queue of its queue has a copy. */
		MOVED

	}

}
