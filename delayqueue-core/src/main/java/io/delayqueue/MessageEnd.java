package io.delayqueue;

import java.time.Instant;

/**
 * How a message has ended, or how it became a dead letter. Known of queues that keep a
 * history.
 *
 * @param how how it has ended
 * @param at when, by the clock of the Redis master
 * @param where the process that ended it: a consumer, or the process in which the
 * application or an operator did
 */
public record MessageEnd(How how, Instant at, String where) {

	/** How a message can end. */
	public enum How {

		/** Its handler has handled it. */
		ACKNOWLEDGED,

		/** It became a dead letter, which may have been redriven since. */
		DEAD_LETTERED,

		/** The application or an operator cancelled it. */
		CANCELLED,

		/** It expired before an attempt began, and its queue drops expired messages. */
		EXPIRED,

		/** It was the oldest one of its group, which was at its quota. */
		DROPPED,

		/** An operator purged its queue. */
		PURGED,

		/** It was a dead letter, and an operator discarded it. */
		DISCARDED,

		/** It was a dead letter, and the dead-letter queue of its queue has a copy. */
		MOVED

	}

}
