package io.delayqueue.observe;

import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperatedEvent;
import io.delayqueue.DuplicateMessageException;
import io.delayqueue.MessageExpiredEvent;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.store.Repairs.Damage;
import org.jspecify.annotations.Nullable;

/**
 * Told what happens to messages. Implementations return at once, throw nothing, and are
 * safe for use by several threads.
 */
public interface QueueObserver {

	/** Does nothing. */
	QueueObserver NONE = new QueueObserver() {
	};

	/**
	 * A message was given to {@code schedule} and Redis answered.
	 * @param queue the queue
	 * @param outcome what became of it
	 */
	default void scheduled(String queue, ScheduleResult.Outcome outcome) {
	}

	/**
	 * A message was given to {@code schedule} and there is no good answer.
	 * @param queue the queue
	 * @param reason why not
	 */
	default void notScheduled(String queue, NotScheduled reason) {
	}

	/**
	 * A message was removed unhandled, to make room for a newer one of its group.
	 * @param queue the queue
	 * @param group the group key
	 * @param id the message's id
	 */
	default void dropped(String queue, String group, String id) {
	}

	/**
	 * A message was to be cancelled and Redis answered.
	 * @param queue the queue
	 * @param result what became of it
	 */
	default void cancelled(String queue, CancelResult result) {
	}

	/**
	 * This process begins to consume a queue.
	 * @param queue the queue
	 * @param inFlight how many messages its handlers have at a moment; may be asked by
	 * any thread until {@link #notConsuming}
	 */
	default void consuming(String queue, IntSupplier inFlight) {
	}

	/**
	 * This process does not consume a queue any more.
	 * @param queue the queue
	 */
	default void notConsuming(String queue) {
	}

	/**
	 * Messages became ready.
	 * @param queue the queue
	 * @param messages how many, 1 or more
	 */
	default void swept(String queue, int messages) {
	}

	/**
	 * A handler is about to get a message for the first time.
	 * @param queue the queue
	 * @param lateness for how long the message has been due; never negative
	 */
	default void delivered(String queue, Duration lateness) {
	}

	/**
	 * A handler is about to get a batch.
	 * @param queue the queue
	 * @param messages how many messages it has, 1 or more
	 */
	default void batched(String queue, int messages) {
	}

	/**
	 * A handler is through with a message.
	 * @param queue the queue
	 * @param outcome how it ended
	 * @param took how long it ran
	 */
	default void handled(String queue, HandlerOutcome outcome, Duration took) {
	}

	/**
	 * A message had expired before its attempt could begin, and what became of it
	 * counted. No handler of unexpired messages has had it at this attempt.
	 * @param queue the queue
	 * @param id the message's id
	 * @param outcome what became of it
	 */
	default void expired(String queue, String id, MessageExpiredEvent.Outcome outcome) {
	}

	/**
	 * A settlement did not count, because the message belongs to another delivery.
	 * @param queue the queue
	 */
	default void superseded(String queue) {
	}

	/**
	 * Messages that were read were given back without being handled.
	 * @param queue the queue
	 * @param messages how many, 1 or more
	 */
	default void released(String queue, int messages) {
	}

	/**
	 * A message was taken back from a consumer that has fallen silent.
	 * @param queue the queue
	 * @param dead whether it was set aside, because that has happened too often
	 */
	default void reclaimed(String queue, boolean dead) {
	}

	/**
	 * A message of this process was given to another one while its handler ran.
	 * @param queue the queue
	 * @param id the message's id
	 */
	default void leaseLost(String queue, String id) {
	}

	/**
	 * A handler ran for longer than the maximum processing time and was abandoned: the
	 * attempt of each of its messages has failed.
	 * @param queue the queue
	 * @param messages how many it had, 1 or more
	 */
	default void abandoned(String queue, int messages) {
	}

	/**
	 * Messages that somebody had damaged in Redis were found and put right.
	 * @param queue the queue
	 * @param damage what was wrong; {@link Damage#LOST} cannot be put right
	 * @param ids the messages' ids, 1 or more
	 */
	default void repaired(String queue, Damage damage, List<String> ids) {
	}

	/**
	 * A message was set aside, and that counted. By then it has been counted as
	 * {@link #handled}, {@link #reclaimed} or {@link #expired}.
	 * @param queue the queue
	 * @param id the message's id
	 * @param reason a word for why
	 * @param exception the class of the last exception, {@code null} if there was none
	 * @param message what the last exception said, or why otherwise
	 */
	default void deadLettered(String queue, String id, String reason, @Nullable String exception, String message) {
	}

	/**
	 * The consumer of a queue was paused in this process.
	 * @param queue the queue
	 */
	default void paused(String queue) {
	}

	/**
	 * The consumer of a queue was resumed in this process.
	 * @param queue the queue
	 */
	default void resumed(String queue) {
	}

	/**
	 * Somebody has operated a queue, and it was carried out.
	 * @param operated who did what
	 */
	default void operated(DelayQueueOperatedEvent operated) {
	}

	/** Why there is no good answer for a message that was given to {@code schedule}. */
	enum NotScheduled {

		/** It was not stored: Redis was away or refused it, or its queue is draining. */
		REJECTED,

		/** It may have been stored. */
		UNKNOWN,

		/** It was not stored: its group has used up its quota. */
		QUOTA_EXCEEDED,

		/** It was not stored: its id is known, and it must not be. */
		DUPLICATE_REFUSED;

		/**
		 * The reason that a caller is told.
		 * @param failure what the caller gets
		 * @return the reason
		 */
		public static NotScheduled of(DelayQueueException failure) {
			if (failure instanceof ScheduleOutcomeUnknownException) {
				return UNKNOWN;
			}
			if (failure instanceof QuotaExceededException) {
				return QUOTA_EXCEEDED;
			}
			return (failure instanceof DuplicateMessageException) ? DUPLICATE_REFUSED : REJECTED;
		}

	}

	/** How a handler ended. */
	enum HandlerOutcome {

		/** It returned; the message is acknowledged. */
		SUCCESS,

		/** It threw; the message is tried again later. */
		RETRY,

		/** It asked for a later time; that is no failure. */
		DEFER,

		/** It threw for the last time; the message is dead-lettered. */
		FAILURE,

		/** It was not called: the message could not be read. */
		UNREADABLE

	}

}
