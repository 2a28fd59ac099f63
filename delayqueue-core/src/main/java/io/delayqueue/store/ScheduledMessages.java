package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.Envelope;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * The producer's side of a partition: schedule, cancel, reschedule, find. Each method
 * writes in one atomic script, is safe to repeat, and throws {@link StoreException}.
 */
public final class ScheduledMessages {

	/** The most messages of one call. */
	public static final int MAX_BATCH = 1000;

	private static final int FIRST_ANSWER = 6;

	private static final int HEAD = 5;

	private static final int OF_MESSAGE = 6;

	private static final int HEAD_OF_NEW = 2;

	private static final int OF_NEW = 3;

	private final RedisCalls calls;

	/**
	 * Creates the side.
	 * @param calls the way to Redis
	 */
	public ScheduledMessages(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * A message to store.
	 *
	 * @param id the id
	 * @param due when it is due
	 * @param group its group, {@code null} if it has none
	 * @param expiry until when an attempt may begin
	 * @param onDuplicate what happens if its id is known; {@code null} for a generated id
	 * @param envelope the bytes of its {@link Envelope}
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record NewMessage(String id, Due due, @Nullable String group, Expiry expiry,
			@Nullable DuplicatePolicy onDuplicate, byte[] envelope) {

		/** Whether its id is generated, and it has neither a group nor an expiry. */
		private boolean isNew() {
			return this.onDuplicate == null && this.group == null && this.expiry.equals(Expiry.NEVER);
		}

		private byte[] policy() {
			if (this.onDuplicate == null) {
				return Reply.bytes("new");
			}
			return Reply.bytes(switch (this.onDuplicate.kind()) {
				case KEEP -> "keep";
				case FAIL -> "fail";
				case REPLACE -> "replace";
				case POSTPONE -> Long.toString(this.onDuplicate.limit().orElseThrow().plusNanos(999_999).toMillis());
			});
		}

	}

	/** The outcome of storing a message, named as in the scripts. */
	public enum Stored {

		/** Stored by this call. */
		CREATED,

		/** Stored by this call, replacing the message that waited. */
		REPLACED,

		/** As replaced, with a later due time. */
		POSTPONED,

		/**
		 * Stored by an earlier run of this call, and replaced by another message since.
		 */
		SUPERSEDED,

		/**
		 * Stored by an earlier run of this call; handled, cancelled or discarded since.
		 */
		ENDED,

		/** Known and not finished. */
		DUPLICATE,

		/** Known although it must be new: it is scheduled. */
		SCHEDULED,

		/** Known although it must be new: it is parked. */
		PARKED,

		/** Known although it must be new: it is ready. */
		READY,

		/** Known although it must be new: it is pending. */
		PENDING,

		/** Finished, and its window has not ended. */
		DONE,

		/** Among the dead letters. */
		DEAD,

		/** Due beyond max-delay. */
		TOO_FAR,

		/** Expires before it is due. */
		EXPIRES,

		/** Its group is full. */
		FULL,

		/** Its id belongs to a message of another group. */
		ANOTHER_GROUP,

		/** New, and the partition accepts nothing new. */
		DRAINING

	}

	/**
	 * The answer for one message.
	 *
	 * @param stored the outcome
	 * @param dueMillis when it is due; 0 if it was not accepted, -1 if an earlier run of
	 * this call stored it with a delay and it no longer exists
	 * @param dropped the ids of the group's oldest messages that were dropped for it
	 */
	public record Answer(Stored stored, long dueMillis, List<String> dropped) {
	}

	/**
	 * The answers of one call.
	 *
	 * @param nowMicros the time of Redis
	 * @param newHead whether one of the messages is now the first one due
	 * @param firstUse whether this was the first use of the partition
	 * @param drainingSinceMillis since when the partition accepts nothing, ms since 1970,
	 * 0 if it does
	 * @param unparked messages that were parked because their group was full and are
	 * scheduled again: to be swept
	 * @param answers one for each message, in their order
	 */
	public record Answers(long nowMicros, boolean newHead, boolean firstUse, long drainingSinceMillis, long unparked,
			List<Answer> answers) {
	}

	/**
	 * Stores messages of one partition.
	 * @param partition the partition
	 * @param settings the settings of the queue
	 * @param messages 1 to {@value #MAX_BATCH} messages; generated ids are distinct
	 * @return the outcome of each
	 */
	public Answers schedule(Partition partition, QueueSettings settings, List<NewMessage> messages) {
		return messages.stream().allMatch(NewMessage::isNew) ? scheduleNew(partition, settings, messages)
				: scheduleAny(partition, settings, messages);
	}

	private Answers scheduleNew(Partition partition, QueueSettings settings, List<NewMessage> messages) {
		byte[][] arguments = new byte[HEAD_OF_NEW + OF_NEW * messages.size()][];
		arguments[0] = Reply.bytes(settings.partitions());
		arguments[1] = Reply.bytes(settings.maxDelay().toMillis());
		int next = HEAD_OF_NEW;
		for (NewMessage message : messages) {
			arguments[next++] = Reply.bytes(message.id());
			arguments[next++] = message.due().toBytes();
			arguments[next++] = message.envelope();
		}
		Reply reply = this.calls.run(StoreScript.SCHEDULE_NEW, partition, arguments);
		if (reply.is("created")) {
			return allCreated(reply, messages);
		}
		try {
			return scheduleAny(partition, settings, messages);
		}
		catch (StoreException failure) {
			// The driver may have sent the first call twice
			throw reply.is("known") ? failure.ofARepeat() : failure;
		}
	}

	private Answers scheduleAny(Partition partition, QueueSettings settings, List<NewMessage> messages) {
		byte[][] arguments = new byte[HEAD + OF_MESSAGE * messages.size()][];
		arguments[0] = Reply.bytes(settings.partitions());
		arguments[1] = Reply.bytes(settings.maxDelay().toMillis());
		arguments[2] = Reply.bytes(settings.groups().quota());
		arguments[3] = Reply.bytes(settings.groups().dropOldest() ? "drop-oldest" : "reject");
		arguments[4] = Reply.bytes(settings.doneWindowOfGenerated().toMillis());
		int next = HEAD;
		for (NewMessage message : messages) {
			arguments[next++] = Reply.bytes(message.id());
			arguments[next++] = message.due().toBytes();
			arguments[next++] = Reply.bytes((message.group() != null) ? message.group() : "");
			arguments[next++] = message.expiry().toBytes();
			arguments[next++] = message.policy();
			arguments[next++] = message.envelope();
		}
		Reply reply = this.calls.run(StoreScript.SCHEDULE, partition, arguments);
		if (reply.is("created")) {
			return allCreated(reply, messages);
		}
		int end = FIRST_ANSWER + 2 * messages.size();
		List<Answer> answers = new ArrayList<>(messages.size());
		for (int at = FIRST_ANSWER; at < end; at += 2) {
			answers.add(new Answer(reply.word(Stored.class, at), reply.number(at + 1),
					(end < reply.size()) ? dropped(reply, end, answers.size()) : List.of()));
		}
		return new Answers(reply.number(1), reply.number(2) == 1, reply.number(3) == 1, reply.number(4),
				reply.number(5), answers);
	}

	private static Answers allCreated(Reply reply, List<NewMessage> messages) {
		long nowMicros = reply.number(1);
		return new Answers(nowMicros, reply.number(2) == 1, false, 0, 0,
				messages.stream()
					.map((message) -> new Answer(Stored.CREATED, message.due().millis(nowMicros), List.of()))
					.toList());
	}

	/** The ids of the messages dropped for a message. */
	private static List<String> dropped(Reply reply, int from, int message) {
		List<String> dropped = new ArrayList<>(0);
		for (int i = from; i < reply.size(); i += 2) {
			if (reply.number(i) == message) {
				dropped.add(reply.text(i + 1));
			}
		}
		return dropped;
	}

	/** The outcome of a cancel. */
	public enum Cancelled {

		/** It was removed; no consumer will get it. */
		CANCELLED,

		/** A consumer holds it. */
		IN_FLIGHT,

		/** It was a dead letter. */
		DEAD,

		/** There is no such message. */
		NONE

	}

	/**
	 * The answer to a cancel.
	 *
	 * @param cancelled the outcome
	 * @param unparked messages that were parked because its group was full and are
	 * scheduled again: to be swept
	 */
	public record CancelAnswer(Cancelled cancelled, long unparked) {
	}

	/**
	 * Removes a message.
	 * @param partition the partition
	 * @param key the message
	 * @param token the token of this call: the same one when the call is repeated
	 * @param window for how long a repeat is recognised
	 * @return the outcome
	 */
	public CancelAnswer cancel(Partition partition, MessageKey key, String token, Duration window) {
		Reply reply = this.calls.run(StoreScript.CANCEL, partition, Reply.bytes(key.id()), Reply.bytes(token),
				Reply.bytes(window.toMillis()), group(key));
		return new CancelAnswer(reply.word(Cancelled.class, 0), reply.number(1));
	}

	/** The outcome of a reschedule. */
	public enum Moved {

		/** It has its new due time. */
		RESCHEDULED,

		/** A consumer holds it. */
		IN_FLIGHT,

		/** It is a dead letter. */
		DEAD,

		/** There is no such message. */
		NONE,

		/** The due time lies beyond max-delay. */
		TOO_FAR,

		/** The due time lies beyond its expiry. */
		EXPIRES

	}

	/**
	 * The answer to a reschedule.
	 *
	 * @param moved the outcome
	 * @param dueMillis the new due time
	 * @param nowMicros the time of Redis
	 * @param newHead whether it is now the first one due
	 * @param unparked messages that were parked because its group was full and are
	 * scheduled again: to be swept
	 */
	public record MoveAnswer(Moved moved, long dueMillis, long nowMicros, boolean newHead, long unparked) {
	}

	/**
	 * Moves a message to a new due time.
	 * @param partition the partition
	 * @param key the message
	 * @param due the new due time
	 * @param maxDelay the longest time ahead
	 * @param token the token of this call: the same one when the call is repeated
	 * @param window for how long a repeat is recognised
	 * @return the outcome
	 */
	public MoveAnswer reschedule(Partition partition, MessageKey key, Due due, Duration maxDelay, String token,
			Duration window) {
		Reply reply = this.calls.run(StoreScript.RESCHEDULE, partition, Reply.bytes(key.id()), due.toBytes(),
				Reply.bytes(maxDelay.toMillis()), Reply.bytes(token), Reply.bytes(window.toMillis()), group(key));
		return new MoveAnswer(reply.word(Moved.class, 0), reply.number(1), reply.number(2), reply.number(3) == 1,
				reply.number(4));
	}

	/**
	 * Finds a message.
	 * @param partition the partition
	 * @param key the message
	 * @return the message, empty if there is none
	 */
	public Optional<MessageSnapshot> find(Partition partition, MessageKey key) {
		return findStored(partition, key).map((found) -> {
			MessageRecord message = found.message();
			return new MessageSnapshot(partition.queue(), key.id(), message.envelope().group(), found.state(),
					Instant.ofEpochMilli(message.dueMillis()),
					(found.state() == MessageState.SCHEDULED) ? Instant.ofEpochMilli(found.nextAttemptMillis()) : null,
					found.failure().attempts(), found.failure().reason(), message.envelope().headers());
		});
	}

	/**
	 * Finds a message and all its stored data.
	 * @param partition the partition
	 * @param key the message
	 * @return the message, empty if there is none
	 */
	public Optional<FoundMessage> findStored(Partition partition, MessageKey key) {
		Reply reply = this.calls.run(StoreScript.FIND, partition, Reply.bytes(key.id()), group(key));
		String state = reply.text(0);
		return reply.is("NONE") ? Optional.empty() : Optional.of(new FoundMessage(partition, key.id(),
				reply.is("NOWHERE") ? MessageState.SCHEDULED : MessageState.valueOf(state), reply.raw(1),
				reply.number(2), FailureRecord.from(reply.raw(3)), reply.text(4), reply.text(5), reply.number(6)));
	}

	private static byte[] group(MessageKey key) {
		return Reply.bytes((key.group() != null) ? key.group() : "");
	}

}
