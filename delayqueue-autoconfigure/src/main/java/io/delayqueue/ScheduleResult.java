package io.delayqueue;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What {@code schedule} did with a message.
 *
 * @param queue the queue
 * @param id the message's id, given or generated
 * @param outcome what happened
 * @param dueAt when the message is due, by the clock of the Redis master; {@code null} if
 * this call's message was not accepted, or if Redis's first answer was lost and the
 * message, scheduled with a delay, has been handled or cancelled by now
 */
public record ScheduleResult(String queue, String id, Outcome outcome, @Nullable Instant dueAt) {

	/**
	 * Whether this call's message was stored.
	 * @return {@code false} if the id was known already and nothing was written
	 */
	public boolean isAccepted() {
		return this.outcome == Outcome.CREATED;
	}

	/** What happened to a message that was to be scheduled. */
	public enum Outcome {

		/** The message was stored by this call (also when Redis saw the call twice). */
		CREATED,

		/** The id waits, is ready or is pending already; nothing was written. */
		DUPLICATE,

		/**
		 * The id has finished within the de-duplication window; nothing was written.
		 */
		DONE,

		/** The id is among the dead letters; nothing was written. */
		DEAD_LETTER

	}

}
