package io.delayqueue.event;

import org.jspecify.annotations.Nullable;

/**
 * An operator has changed a queue through the actuator endpoint. Published by the process
 * that carried out the request, after it succeeded. Refused requests and dry runs change
 * nothing and publish no event. A request that failed part-way publishes no event either;
 * a log line reports such a request.
 *
 * @param queue the queue
 * @param action the operation
 * @param id the message's id, {@code null} if the operation was not about a single
 * message
 * @param group the group key, {@code null} if the operator did not specify one
 * @param principal the user name, {@code anonymous} for an unauthenticated caller
 * @param messages the number of messages changed or removed; 0 for operations on the
 * queue as a whole
 * @param outcome the outcome as it is logged: for humans, not to be parsed
 */
public record DelayQueueOperatedEvent(String queue, Action action, @Nullable String id, @Nullable String group,
		String principal, long messages, String outcome) implements DelayQueueEvent {

	/** The operations. */
	public enum Action {

		/** Cancel a message. */
		CANCEL,

		/** Move a message to another due time. */
		RESCHEDULE,

		/** Schedule dead letters again. */
		REDRIVE,

		/** Remove dead letters permanently. */
		DISCARD,

		/** Stop handling messages. */
		PAUSE,

		/** End a pause. */
		RESUME,

		/** Hold a queue or a group until a time. */
		HOLD,

		/** End holds. */
		RELEASE,

		/** Set the rate limit of a queue. */
		LIMIT_RATE,

		/** Remove a rate limit that was set. */
		CLEAR_RATE_LIMIT,

		/** Pause a recurring schedule. */
		PAUSE_RECURRING,

		/** End the pause of a recurring schedule. */
		RESUME_RECURRING,

		/** Schedule one more occurrence of a recurring schedule, due now. */
		RUN_RECURRING,

		/** Stop accepting messages. */
		DRAIN,

		/** End draining. */
		REOPEN,

		/** Change the partition count. */
		REPARTITION,

		/** Remove all messages permanently. */
		PURGE,

		/** Check that the counts are consistent; changes nothing. */
		AUDIT,

		/** Repair damaged keys. */
		REPAIR

	}

}
