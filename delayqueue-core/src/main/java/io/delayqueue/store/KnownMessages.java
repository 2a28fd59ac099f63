package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.record.UnreadableRecordException;
import io.delayqueue.store.History.Ended;
import org.jspecify.annotations.Nullable;
import io.delayqueue.redis.StoreException;

/**
 * Cancels, reschedules and finds stored messages. Each method runs one atomic script, is
 * safe to repeat, and throws {@link StoreException}.
 */
public final class KnownMessages {

	/** The index of the stream entry of a held message in the reply to a cancel. */
	private static final int HELD = 2;

	private final RedisCalls calls;

	private final PartitionClock clock;

	private final HeldMessages held;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public KnownMessages(RedisCalls calls) {
		this(calls, HeldMessages.IGNORED);
	}

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 * @param held takes the stream entries of messages that are cancelled while a
	 * consumer holds them
	 */
	public KnownMessages(RedisCalls calls, HeldMessages held) {
		this.calls = calls;
		this.clock = new PartitionClock(calls);
		this.held = held;
	}

	/** The outcome of a cancel. */
	public enum Cancelled {

		/** The message was removed; no consumer will get it. */
		CANCELLED,

		/** A consumer holds the message. */
		IN_FLIGHT,

		/** The message was a dead letter, which was removed. */
		DEAD,

		/** The partition has no such message. */
		NONE,

		/**
		 * The partition has no such message and is closed: a newer epoch of the queue may
		 * have it.
		 */
		ELSEWHERE

	}

	/**
	 * The answer to a cancel.
	 *
	 * @param cancelled the outcome
	 * @param unparked number of parked messages that are scheduled again, because their
	 * group has room
	 */
	public record CancelAnswer(Cancelled cancelled, long unparked) {
	}

	/**
	 * Removes a message.
	 * @param partition the partition
	 * @param key the message
	 * @param token the token of this call; a repeat of the call passes the same token
	 * @param window for how long Redis recognises a repeat of this call
	 * @return the outcome
	 */
	public CancelAnswer cancel(Partition partition, MessageKey key, String token, Duration window) {
		Reply reply = this.calls.run(StoreScript.CANCEL, partition, key.id(), token, window, key.group(),
				this.calls.process());
		if (reply.size() > HELD) {
			this.held.removed(partition, List.of(reply.text(HELD)));
		}
		return new CancelAnswer(reply.word(Cancelled.class, 0), reply.number(1));
	}

	/** The outcome of a reschedule. */
	public enum Moved {

		/** The message has its new due time. */
		RESCHEDULED,

		/** A consumer holds the message. */
		IN_FLIGHT,

		/** The message is a dead letter. */
		DEAD,

		/** The partition has no such message. */
		NONE,

		/**
		 * The partition has no such message and is closed: a newer epoch of the queue may
		 * have it.
		 */
		ELSEWHERE,

		/** The new due time is later than {@code max-delay} from now. */
		TOO_FAR,

		/** The message would expire before its new due time. */
		EXPIRES

	}

	/**
	 * The answer to a reschedule.
	 *
	 * @param moved the outcome
	 * @param dueMillis the new due time, ms since 1970
	 * @param nowMicros the time of Redis, us since 1970
	 * @param newHead whether the message is now the first one due in its partition
	 * @param unparked number of parked messages that are scheduled again, because their
	 * group has room
	 */
	public record MoveAnswer(Moved moved, long dueMillis, long nowMicros, boolean newHead, long unparked) {
	}

	/**
	 * Moves a message to a new due time.
	 * @param partition the partition
	 * @param key the message
	 * @param due the new due time
	 * @param maxDelay the longest time from now to the due time
	 * @param token the token of this call; a repeat of the call passes the same token
	 * @param window for how long Redis recognises a repeat of this call
	 * @return the outcome
	 */
	public MoveAnswer reschedule(Partition partition, MessageKey key, Due due, Duration maxDelay, String token,
			Duration window) {
		Due fixed = due.isCounted() ? due.by(this.clock.read(partition)) : due;
		Reply reply = this.calls.run(StoreScript.RESCHEDULE, partition, key.id(), fixed, maxDelay, token, window,
				key.group());
		return new MoveAnswer(reply.word(Moved.class, 0), reply.number(1), reply.number(2), reply.number(3) == 1,
				reply.number(4));
	}

	/**
	 * A message and all its stored data, at one moment.
	 *
	 * @param partition its partition
	 * @param id its id
	 * @param state its state; scheduled, too, if a damaged key has lost it, because
	 * repair will schedule the message
	 * @param record its record, not to be changed
	 * @param placeMillis the time at which it will be swept, or was dead-lettered, ms
	 * since 1970; -1 if neither is stored
	 * @param failure the record of its failed deliveries
	 * @param entry the stream entry of the message; only defined if it is ready or
	 * pending
	 * @param consumer the consumer that holds it; only defined if it is pending
	 * @param idleMillis for how long that consumer has not taken it or renewed its lease,
	 * ms
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record FoundMessage(Partition partition, String id, MessageState state, byte[] record, long placeMillis,
			FailureRecord failure, String entry, String consumer, long idleMillis) {

		/**
		 * Reads the record.
		 * @return the message
		 * @throws UnreadableRecordException if the record has another form
		 */
		public MessageRecord message() {
			return MessageRecord.from(this.record);
		}

		/**
		 * Returns the earliest time of the next delivery of a scheduled message.
		 * @return ms since 1970
		 * @throws UnreadableRecordException if the time is stored in its record only, and
		 * the record has another form
		 */
		public long nextAttemptMillis() {
			return (this.placeMillis >= 0) ? this.placeMillis : message().dueMillis();
		}

		/**
		 * Returns the time at which a ready or pending message was swept.
		 * @return ms since 1970
		 */
		public long readyMillis() {
			return Pages.millisOf(this.entry);
		}

	}

	/**
	 * Makes the view of a message that applications get.
	 * @param key the message
	 * @param stored the message with all its stored data
	 * @return the message
	 */
	public static MessageSnapshot snapshot(MessageKey key, FoundMessage stored) {
		MessageRecord message = stored.message();
		return new MessageSnapshot(key.queue(), key.id(), message.envelope().group(), stored.state(),
				Instant.ofEpochMilli(message.dueMillis()),
				(stored.state() == MessageState.SCHEDULED) ? Instant.ofEpochMilli(stored.nextAttemptMillis()) : null,
				stored.failure().attempts(), stored.failure().reason(), message.envelope().headers(), null);
	}

	/**
	 * The answer to a find.
	 *
	 * @param message the message, {@code null} if the partition has none
	 * @param ended how it ended last, {@code null} if the partition has the message or
	 * the history has no end of it
	 * @param elsewhere whether the partition does not have the message and is closed, so
	 * that a newer epoch may have it
	 */
	public record Found(@Nullable FoundMessage message, @Nullable Ended ended, boolean elsewhere) {
	}

	/**
	 * Finds a message and all its stored data.
	 * @param partition the partition
	 * @param key the message
	 * @return the message
	 */
	public Found find(Partition partition, MessageKey key) {
		Reply reply = this.calls.run(StoreScript.FIND, partition, key.id(), key.group());
		if (reply.is("NONE") || reply.is("ELSEWHERE")) {
			return new Found(null, null, reply.is("ELSEWHERE"));
		}
		if (reply.is("FINISHED")) {
			return new Found(null, Ended.from(partition, reply.text(4), reply.raw(1)),
					reply.text(5).equals("ELSEWHERE"));
		}
		return new Found(new FoundMessage(partition, key.id(),
				reply.is("NOWHERE") ? MessageState.SCHEDULED : MessageState.valueOf(reply.text(0)), reply.raw(1),
				reply.number(2), FailureRecord.from(reply.raw(3)), reply.text(4), reply.text(5), reply.number(6)), null,
				false);
	}

}
