package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Somebody has operated a queue through the actuator endpoint, and it was carried out.
 * Told by the process that was asked. What was refused, and what was only tried, changed
 * nothing and is not told; nor is what failed half-way, which the log tells.
 *
 * @param queue the queue
 * @param action what was done
 * @param id the id of the one message concerned, {@code null} if it was not one
 * @param group its group key, {@code null} if the operator did not say it
 * @param principal the name of who has done it, {@code anonymous} if nobody has logged in
 * @param messages how many messages it has changed or removed; 0 for what is done with
 * the queue as a whole
 * @param outcome what came of it, in the words of the log: for people, not to be parsed
 */
public record DelayQueueOperatedEvent(String queue, Action action, @Nullable String id, @Nullable String group,
		String principal, long messages, String outcome) implements DelayQueueEvent {

	/** What an operator can do. */
	public enum Action {

		/** Cancel a message. */
		CANCEL,

		/** Give a message another due time. */
		RESCHEDULE,

		/** Give dead letters another chance. */
		REDRIVE,

		/** Remove dead letters for good. */
		DISCARD,

		/** Let nothing be handled. */
		PAUSE,

		/** End a pause. */
		RESUME,

		/** Accept nothing new. */
		DRAIN,

		/** End draining. */
		REOPEN,

		/** Remove all messages for good. */
		PURGE,

		/** Look whether the counts add up; changes nothing. */
		AUDIT,

		/** Put right what others have damaged. */
		REPAIR

	}

}
