package io.delayqueue.observe;

import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DuplicateMessageException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.event.DelayQueueOperatedEvent;
import io.delayqueue.event.MessageExpiredEvent;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.StoredId;
import org.jspecify.annotations.Nullable;

/**
 * Receives notifications about messages and queues. Implementations return immediately,
 * throw no exceptions, and are safe for use by several threads.
 */
public interface QueueObserver {

	/** Observer that does nothing. */
	QueueObserver NONE = new QueueObserver() {
	};

	/**
	 * Called for each message passed to {@code schedule} when Redis has replied.
	 * @param queue the queue
	 * @param outcome the outcome
	 */
	default void scheduled(String queue, ScheduleResult.Outcome outcome) {
	}

	/**
	 * Called for each message passed to {@code schedule} when the call has failed.
	 * @param queue the queue
	 * @param reason the reason
	 */
	default void notScheduled(String queue, NotScheduled reason) {
	}

	/**
	 * Called when a message was removed without being handled to make room for a newer
	 * message of its group.
	 * @param queue the queue
	 * @param group the group key
	 * @param id the message's id
	 */
	default void dropped(String queue, String group, String id) {
	}

	/**
	 * Called when instants of a recurring schedule were missed, because no process could
	 * store their occurrences at these instants.
	 * @param queue the queue
	 * @param key the key of the schedule
	 * @param instants the number of instants, 1 or more
	 */
	default void missed(String queue, String key, long instants) {
	}

	/**
	 * Called when no occurrence (message) was stored for instants of a recurring
	 * schedule, because the last occurrence of the schedule had not ended.
	 * @param queue the queue
	 * @param key the key of the schedule
	 * @param instants the number of instants, 1 or more
	 */
	default void skipped(String queue, String key, long instants) {
	}

	/**
	 * Called when Redis has replied to a call that cancels a message.
	 * @param queue the queue
	 * @param result the result
	 */
	default void cancelled(String queue, CancelResult result) {
	}

	/**
	 * Called when this process begins to consume a queue.
	 * @param queue the queue
	 * @param inFlight returns the current number of messages in flight; may be called by
	 * any thread until {@link #notConsuming}
	 */
	default void consuming(String queue, IntSupplier inFlight) {
	}

	/**
	 * Called when this process no longer consumes a queue.
	 * @param queue the queue
	 */
	default void notConsuming(String queue) {
	}

	/**
	 * Called when a sweep has made due messages ready.
	 * @param queue the queue
	 * @param messages the number of messages, 1 or more
	 */
	default void swept(String queue, int messages) {
	}

	/**
	 * Called when a message is about to be delivered to a handler for the first time.
	 * @param queue the queue
	 * @param lateness the time since the message became due; never negative
	 */
	default void delivered(String queue, Duration lateness) {
	}

	/**
	 * Called when a batch is about to be delivered to a handler.
	 * @param queue the queue
	 * @param messages the number of messages in the batch, 1 or more
	 */
	default void batched(String queue, int messages) {
	}

	/**
	 * Called for each message of a handler call that has ended.
	 * @param queue the queue
	 * @param outcome the outcome
	 * @param took the running time of the handler
	 */
	default void handled(String queue, HandlerOutcome outcome, Duration took) {
	}

	/**
	 * Called when a message had expired before its attempt could begin, and Redis has
	 * stored the settlement of the expired message. In this attempt only the method for
	 * expired messages may have got the message.
	 * @param queue the queue
	 * @param id the message's id
	 * @param outcome the outcome
	 */
	default void expired(String queue, StoredId id, MessageExpiredEvent.Outcome outcome) {
	}

	/**
	 * Called when Redis ignored a settlement, because the message has a newer delivery.
	 * @param queue the queue
	 */
	default void superseded(String queue) {
	}

	/**
	 * Called when messages that were read have been released without being handled.
	 * @param queue the queue
	 * @param messages the number of messages, 1 or more
	 */
	default void released(String queue, int messages) {
	}

	/**
	 * Called when a message was reclaimed from a consumer that stopped responding.
	 * @param queue the queue
	 * @param dead whether the message was dead-lettered because it had reached its
	 * maximum number of crashes
	 */
	default void reclaimed(String queue, boolean dead) {
	}

	/**
	 * Called when this process has lost the lease of a message while the handler ran.
	 * @param queue the queue
	 * @param id the message's id and group
	 */
	default void leaseLost(String queue, StoredId id) {
	}

	/**
	 * Called when a handler ran longer than its timeout and was abandoned, so that the
	 * attempt of each message of the call failed.
	 * @param queue the queue
	 * @param messages the number of messages of the abandoned call, 1 or more
	 */
	default void abandoned(String queue, int messages) {
	}

	/**
	 * Called when messages with damaged keys in Redis were found and repaired.
	 * @param queue the queue
	 * @param damage the kind of damage; {@link Damage#LOST} cannot be repaired
	 * @param ids the messages' ids and groups, 1 or more
	 */
	default void repaired(String queue, Damage damage, List<StoredId> ids) {
	}

	/**
	 * Called when a message has become a dead letter in Redis, after {@link #handled},
	 * {@link #reclaimed} or {@link #expired} was called.
	 * @param queue the queue
	 * @param id the message's id
	 * @param reason one word for the reason
	 * @param exception the class of the last exception, {@code null} if there was none
	 * @param message the message of the last exception, or another explanation
	 */
	default void deadLettered(String queue, StoredId id, String reason, @Nullable String exception, String message) {
	}

	/**
	 * Called when the consumer of a queue was paused in this process.
	 * @param queue the queue
	 */
	default void paused(String queue) {
	}

	/**
	 * Called when the consumer of a queue was resumed in this process.
	 * @param queue the queue
	 */
	default void resumed(String queue) {
	}

	/**
	 * Called when a hold of a queue or a group has been stored.
	 * @param hold the hold
	 */
	default void held(QueueHold hold) {
	}

	/**
	 * Called when an operator has ended holds.
	 * @param queue the queue
	 * @param group the group key, {@code null} for all holds of the queue and of its
	 * groups
	 */
	default void holdEnded(String queue, @Nullable String group) {
	}

	/**
	 * Called when an operation that an operator requested was carried out.
	 * @param operated the operation and the operator
	 */
	default void operated(DelayQueueOperatedEvent operated) {
	}

	/** Reason why a call to {@code schedule} failed. */
	enum NotScheduled {

		/** Redis was unavailable or refused the message, or the queue is draining. */
		REJECTED,

		/** The reply of Redis is missing, so the message may have been stored. */
		UNKNOWN,

		/** The message was not stored: its group has used up its quota. */
		QUOTA_EXCEEDED,

		/** The message was not stored: its id exists, and duplicates are refused. */
		DUPLICATE_REFUSED;

		/**
		 * Returns the reason for a failure.
		 * @param failure the exception that the caller receives
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

	/** Outcome of a handler call. */
	enum HandlerOutcome {

		/** The handler succeeded, and the message is acknowledged. */
		SUCCESS,

		/** The attempt failed, and the message is retried later. */
		RETRY,

		/** The handler deferred the message, which is not a failure. */
		DEFER,

		/**
		 * The handler threw an exception after its message was cancelled, replaced or
		 * purged; the message is neither retried nor dead-lettered.
		 */
		CANCELLED,

		/** The handler failed for the last time, and the message is dead-lettered. */
		FAILURE,

		/** The message could not be read, and is dead-lettered without a handler call. */
		UNREADABLE

	}

}
