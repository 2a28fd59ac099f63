package io.delayqueue;

import java.time.Instant;
import java.util.List;

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
 * @param dropped the ids of the oldest messages of the group that were removed to make
 * room for this one; empty unless the group has a quota and its queue says
 * {@code drop-oldest}
 */
public record ScheduleResult(String queue, String id, Outcome outcome, @Nullable Instant dueAt, List<String> dropped) {

	/**
	 * Copies the ids in.
	 */
	public ScheduleResult {
		dropped = List.copyOf(dropped);
	}

	/**
	 * The result of a message that nothing had to make room for.
	 * @param queue the queue
	 * @param id the message's id
	 * @param outcome what happened
	 * @param dueAt when the message is due, {@code null} as above
	 */
	public ScheduleResult(String queue, String id, Outcome outcome, @Nullable Instant dueAt) {
		this(queue, id, outcome, dueAt, List.of());
	}

	/**
	 * Whether this call's message was stored.
	 * @return {@code false} if the id was known already and nothing was written
	 */
	public boolean isAccepted() {
		return switch (this.outcome) {
			case CREATED, REPLACED, POSTPONED -> true;
			case DUPLICATE, DONE, DEAD_LETTER -> false;
		};
	}

	/** What happened to a message that was to be scheduled. */
	public enum Outcome {

		/** The message was stored by this call (also when Redis saw the call twice). */
		CREATED,

		/** The message was stored in the place of the one that its id had. */
		REPLACED,

		/**
		 * The message was stored in the place of the one that its id had, and waits
		 * longer; {@link ScheduleResult#dueAt()} says until when.
		 */
		POSTPONED,

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
