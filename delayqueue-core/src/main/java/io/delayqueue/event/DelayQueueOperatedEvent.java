package io.delayqueue.event;

import io.delayqueue.admin.EditedDeadLetter;
import org.jspecify.annotations.Nullable;

/**
 * An operator has changed or audited a queue through the actuator endpoint. The process
 * that carried out the request publishes this event after the request has succeeded.
 * Refused requests and dry runs change nothing, and no event is published for them. For a
 * request that failed part-way, a log line is written, but no event is published. A run
 * of a recurring schedule whose outcome is unknown is published, too.
 *
 * @param queue the queue
 * @param action the operation
 * @param id the message's id, {@code null} if the operation was not about a single
 * message
 * @param group the group key, {@code null} if the operator did not specify one
 * @param principal the user name, {@code anonymous} for an unauthenticated caller
 * @param messages the number of messages that the request changed or removed; 0 for an
 * operation that changes no message, such as a pause, or if it is unknown whether a
 * message was scheduled
 * @param outcome the outcome as text, as it is logged; the format may change
 */
public record DelayQueueOperatedEvent(String queue, Action action, @Nullable String id, @Nullable String group,
		String principal, long messages, String outcome) implements DelayQueueEvent {

	/** The operations of the actuator endpoint. */
	public enum Action {

		/** The operator cancelled a message. */
		CANCEL,

		/** The operator moved a message to another due time. */
		RESCHEDULE,

		/** The operator redrove dead letters: scheduled them again. */
		REDRIVE,

		/**
		 * The operator changed a dead letter and redrove it. The outcome has the digests
		 * of both versions, as in {@link EditedDeadLetter}.
		 */
		EDIT,

		/** The operator removed dead letters permanently. */
		DISCARD,

		/** The operator paused the queue. */
		PAUSE,

		/** The operator ended the pause of the queue. */
		RESUME,

		/** The operator held the queue or a group until a time. */
		HOLD,

		/**
		 * The operator ended the hold of a group, or all holds of the queue and its
		 * groups.
		 */
		RELEASE,

		/** The operator set the rate limit of the queue. */
		LIMIT_RATE,

		/** The operator removed the rate limit that an operator had set. */
		CLEAR_RATE_LIMIT,

		/** The operator paused a recurring schedule. */
		PAUSE_RECURRING,

		/** The operator ended the pause of a recurring schedule. */
		RESUME_RECURRING,

		/**
		 * The operator scheduled one more occurrence of a recurring schedule, due at
		 * once.
		 */
		RUN_RECURRING,

		/** The operator drained the queue: the queue accepts no new messages. */
		DRAIN,

		/** The operator ended the draining of the queue. */
		REOPEN,

		/** The operator changed the partition count of the queue. */
		REPARTITION,

		/** The operator purged the queue: removed all its messages permanently. */
		PURGE,

		/**
		 * The operator checked whether the keys of the queue are consistent; nothing was
		 * changed.
		 */
		AUDIT,

		/** The operator repaired damaged keys of the queue. */
		REPAIR

	}

}
