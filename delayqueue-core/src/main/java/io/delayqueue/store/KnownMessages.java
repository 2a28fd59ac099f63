package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

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
 * Cancels, reschedules and finds stored messages. Each method reads or changes the
 * message in one atomic script, is safe to repeat, and throws {@link StoreException}.
 */
public final class KnownMessages {

	/**
	 * The index, in the reply to a cancel, of the stream entry of a message that a
	 * consumer holds.
	 */
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
	 * @param held receives the stream entries of messages that are cancelled while a
	 * consumer holds them
	 */
	public KnownMessages(RedisCalls calls, HeldMessages held) {
		this.calls = calls;
		this.clock = new PartitionClock(calls);
		this.held = held;
	}

	/** What a call to cancel a message has done. */
	public enum Cancelled {

		/** The message was removed before its delivery: no consumer will get it. */
		CANCELLED,

		/**
		 * The message was removed while a consumer held it: its handler may finish, but
		 * no retry follows.
		 */
		IN_FLIGHT,

		/** The message was a dead letter, and was removed. */
		DEAD,

		/** The partition does not have the message. */
		NONE,

		/**
		 * The partition does not have the message and is closed: a newer epoch of the
		 * queue may have the message.
		 */
		ELSEWHERE

	}

	/**
	 * The reply of Redis to a cancel.
	 *
	 * @param cancelled what the call has done
	 * @param unparked number of parked messages that this call scheduled again, because
	 * their group has a free slot
	 */
	public record CancelAnswer(Cancelled cancelled, long unparked) {
	}

	/**
	 * Removes a message in any state.
	 * @param candidate the partition and the message
	 * @param token the token of this call; a repeat of the call passes the same token
	 * @param window for how long Redis recognises a repeat of this call
	 * @return what the call has done
	 */
	public CancelAnswer cancel(Candidate candidate, String token, Duration window) {
		Partition partition = candidate.partition();
		Reply reply = this.calls.run(StoreScript.CANCEL, partition, candidate.id(), token, window, candidate.anyGroup(),
				this.calls.process());
		if (reply.size() > HELD) {
			this.held.removed(partition, List.of(reply.text(HELD)), Hint.Kind.CANCELLED);
		}
		return new CancelAnswer(reply.word(Cancelled.class, 0), reply.number(1));
	}

	/** What a call to reschedule a message has done. */
	public enum Moved {

		/** The message has its new due time. */
		RESCHEDULED,

		/** The message was not moved, because a consumer holds it. */
		IN_FLIGHT,

		/** The message was not moved, because it is a dead letter. */
		DEAD,

		/** The partition does not have the message. */
		NONE,

		/**
		 * The partition does not have the message and is closed: a newer epoch of the
		 * queue may have the message.
		 */
		ELSEWHERE,

		/**
		 * The message was not moved, because the new due time is later than
		 * {@code max-delay} from now.
		 */
		TOO_FAR,

		/** The message was not moved, because it would expire before its new due time. */
		EXPIRES

	}

	/**
	 * The reply of Redis to a reschedule.
	 *
	 * @param moved what the call has done
	 * @param dueMillis the new due time, ms since 1970
	 * @param nowMicros the time of Redis, us since 1970
	 * @param newHead whether the message is now the first one due in its partition
	 * @param unparked number of parked messages that this call scheduled again, because
	 * their group has a free slot
	 */
	public record MoveAnswer(Moved moved, long dueMillis, long nowMicros, boolean newHead, long unparked) {
	}

	/**
	 * Moves a message to a new due time.
	 * @param candidate the partition and the message
	 * @param due the new due time
	 * @param maxDelay the longest time from now to the due time
	 * @param token the token of this call; a repeat of the call passes the same token
	 * @param window for how long Redis recognises a repeat of this call
	 * @return what the call has done, and the new due time
	 */
	public MoveAnswer reschedule(Candidate candidate, Due due, Duration maxDelay, String token, Duration window) {
		Partition partition = candidate.partition();
		Due fixed = due.isCounted() ? due.by(this.clock.read(partition)) : due;
		Reply reply = this.calls.run(StoreScript.RESCHEDULE, partition, candidate.id(), fixed, maxDelay, token, window,
				candidate.anyGroup());
		return new MoveAnswer(reply.word(Moved.class, 0), reply.number(1), reply.number(2), reply.number(3) == 1,
				reply.number(4));
	}

	/**
	 * A message and all data that Redis stores of it, as of one moment.
	 *
	 * @param partition the partition of the message
	 * @param storedId the id and the group of the message
	 * @param state the state of the message; also {@code SCHEDULED} if damage to a key
	 * has left the message in no state, because the repair will schedule it
	 * @param record the record of the message, which callers must not change
	 * @param placeMillis the time at which the message will be swept, or was
	 * dead-lettered, ms since 1970; -1 if neither time is stored
	 * @param failure the record of the message's failed deliveries
	 * @param entry the stream entry of the message; only meaningful if the message is
	 * ready or pending
	 * @param consumer the consumer that holds the message; empty unless the message is
	 * pending
	 * @param idleMillis the time since the consumer took the message or renewed its
	 * lease, ms; 0 unless the message is pending
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record FoundMessage(Partition partition, StoredId storedId, MessageState state, byte[] record,
			long placeMillis, FailureRecord failure, String entry, String consumer, long idleMillis) {

		/**
		 * {@return the id of the message}
		 */
		public String id() {
			return this.storedId.id();
		}

		/**
		 * {@return the group of the message, {@code null} if it has none}
		 */
		public @Nullable String group() {
			return this.storedId.group();
		}

		/**
		 * Reads the record of the message.
		 * @return the content of the record
		 * @throws UnreadableRecordException if this version of the library cannot read
		 * the record
		 */
		public MessageRecord message() {
			return MessageRecord.from(this.record);
		}

		/**
		 * Returns the time from which a scheduled message may be delivered.
		 * @return the time, ms since 1970
		 * @throws UnreadableRecordException if only the record has the time, and this
		 * version of the library cannot read the record
		 */
		public long nextAttemptMillis() {
			return (this.placeMillis >= 0) ? this.placeMillis : message().dueMillis();
		}

		/**
		 * {@return the time at which a ready or pending message was swept, ms since 1970}
		 */
		public long readyMillis() {
			return Pages.millisOf(this.entry);
		}

	}

	/**
	 * Makes the snapshot of a message that applications get.
	 * @param stored the message with all its stored data
	 * @return the snapshot
	 */
	public static MessageSnapshot snapshot(FoundMessage stored) {
		MessageRecord message = stored.message();
		return new MessageSnapshot(stored.partition().queue(), stored.id(), stored.group(), stored.state(),
				Instant.ofEpochMilli(message.dueMillis()),
				(stored.state() == MessageState.SCHEDULED) ? Instant.ofEpochMilli(stored.nextAttemptMillis()) : null,
				stored.failure().attempts(), stored.failure().reason(), message.envelope().headers(), null);
	}

	/**
	 * The reply of Redis to a search for a message.
	 *
	 * @param message the message, {@code null} if the partition does not have it
	 * @param ended how the message ended last, {@code null} if the partition has the
	 * message, or if the history does not contain the end of the message
	 * @param elsewhere whether the partition does not have the message and is closed, so
	 * that a newer epoch may have the message
	 */
	public record Found(@Nullable FoundMessage message, @Nullable Ended ended, boolean elsewhere) {
	}

	/**
	 * Finds a message and all its stored data.
	 * @param candidate the partition and the message
	 * @return the message, or how it ended
	 */
	public Found find(Candidate candidate) {
		Partition partition = candidate.partition();
		Reply reply = this.calls.run(StoreScript.FIND, partition, candidate.id(), candidate.anyGroup());
		if (reply.is("NONE") || reply.is("ELSEWHERE")) {
			return new Found(null, null, reply.is("ELSEWHERE"));
		}
		if (reply.is("FINISHED")) {
			return new Found(null, Ended.from(partition, reply.text(4), reply.raw(1)),
					reply.text(5).equals("ELSEWHERE"));
		}
		return new Found(new FoundMessage(partition, reply.id(7),
				reply.is("NOWHERE") ? MessageState.SCHEDULED : MessageState.valueOf(reply.text(0)), reply.raw(1),
				reply.number(2), FailureRecord.from(reply.raw(3)), reply.text(4), reply.text(5), reply.number(6)), null,
				false);
	}

	/**
	 * Finds a message and all its stored data.
	 * @param partition the partition
	 * @param id the id and the group of the message
	 * @return the message, {@code null} if the partition does not have it
	 */
	public @Nullable FoundMessage find(Partition partition, StoredId id) {
		return find(new Candidate(partition, id, false)).message();
	}

}
