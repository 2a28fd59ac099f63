package io.delayqueue;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * How, when and where a message has ended or has become a dead letter. Redis stores the
 * ends of messages only for queues that keep a history.
 *
 * @param how how the message has ended
 * @param at when the message has ended, by the clock of the Redis master
 * @param where the name of the process that ended the message: the process of the
 * consumer, or the process in which an application or an operator made the call that
 * ended the message
 * @param took for how long the handler of the last attempt ran; {@code null} if no
 * handler ended the message, or the attempt did not reach it
 */
public record MessageEnd(How how, Instant at, String where, @Nullable Duration took) {

	/** The ways in which a message can end or become a dead letter. */
	public enum How {

		/** The handler has handled the message, which was acknowledged. */
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
		 * The message was the oldest message of a group at its quota, and was dropped to
		 * make room for a new message.
		 */
		DROPPED,

		/** The message was removed because an operator purged the queue. */
		PURGED,

		/** An operator discarded the message, which was a dead letter. */
		DISCARDED,

		/**
		 * The message was a dead letter and was moved to the dead-letter queue of its
		 * queue.
		 */
		MOVED

	}

}
