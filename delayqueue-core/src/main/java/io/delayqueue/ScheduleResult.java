package io.delayqueue;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The result of scheduling a message.
 *
 * @param queue the queue
 * @param id the message's id, given by the caller or generated
 * @param outcome what the call did
 * @param dueAt the due time, by the clock of the Redis master; {@code null} if the
 * message was not accepted. Also {@code null} if the first reply of Redis was lost, the
 * request had a delay or a policy that postpones, and the message was handled or
 * cancelled before the call was repeated
 * @param dropped the ids of the oldest messages of the group that were removed to make
 * room for the new message; empty unless the queue has a {@code group.quota} with
 * {@code when-full: drop-oldest}
 */
public record ScheduleResult(String queue, String id, Outcome outcome, @Nullable Instant dueAt, List<String> dropped) {

	/** Copies the ids of the dropped messages. */
	public ScheduleResult {
		dropped = List.copyOf(dropped);
	}

	/**
	 * Creates the result of a call that dropped no messages.
	 * @param queue the queue
	 * @param id the message's id
	 * @param outcome what the call did
	 * @param dueAt the due time, or {@code null}
	 */
	public ScheduleResult(String queue, String id, Outcome outcome, @Nullable Instant dueAt) {
		this(queue, id, outcome, dueAt, List.of());
	}

	/**
	 * Returns whether the call stored the message.
	 * @return {@code false} if the id existed already and nothing was written
	 */
	public boolean isAccepted() {
		return switch (this.outcome) {
			case CREATED, REPLACED, POSTPONED -> true;
			case DUPLICATE, DONE, DEAD_LETTER -> false;
		};
	}

	/** What a call to schedule a message did. */
	public enum Outcome {

		/**
		 * The message was stored: by this call, or by an earlier try of the call whose
		 * reply was lost.
		 */
		CREATED,

		/** The message was stored and replaced the existing message with its id. */
		REPLACED,

		/**
		 * The message was stored, replaced the existing message with its id, and is due
		 * at {@link ScheduleResult#dueAt()}, which is not earlier than the due time of
		 * the replaced message.
		 */
		POSTPONED,

		/**
		 * A message with the id is scheduled, parked, ready or pending; nothing was
		 * written.
		 */
		DUPLICATE,

		/**
		 * A message with the id has finished within the de-duplication window; nothing
		 * was written.
		 */
		DONE,

		/** A message with the id is a dead letter; nothing was written. */
		DEAD_LETTER

	}

}
