package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;

/**
 * The producer's side of a partition: schedule, cancel, reschedule, find. Each method is
 * one atomic script and safe to repeat; it throws {@link StoreException}.
 */
public final class ScheduledMessages {

	/** The most messages of one call. */
	public static final int MAX_BATCH = 1000;

	private static final int FIRST_ANSWER = 4;

	private final RedisCalls calls;

	/**
	 * Creates the side.
	 * @param calls the way to Redis
	 */
	public ScheduledMessages(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * A message to be stored.
	 *
	 * @param id the id
	 * @param due when it is due
	 * @param envelope the bytes of its {@link Envelope}
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record NewMessage(String id, Due due, byte[] envelope) {
	}

	/** What became of a message that was to be stored; the scripts' words. */
	public enum Stored {

		/** Stored by this call. */
		CREATED,

		/** Stored by an earlier run of this call; another one stands in its place. */
		SUPERSEDED,

		/**
		 * Stored by an earlier run of this call; handled, cancelled or discarded since.
		 */
		ENDED,

		/** Known and not finished. */
		DUPLICATE,

		/** Finished, and its window has not ended. */
		DONE,

		/** Among the dead letters. */
		DEAD,

		/** Due beyond max-delay. */
		TOO_FAR,

		/** New, and the partition accepts nothing new. */
		DRAINING

	}

	/**
	 * The answer for one message.
	 *
	 * @param stored what became of it
	 * @param dueMillis when it is due; 0 if it was not accepted, -1 if an earlier run of
	 * this call stored it with a delay and it is not there any more
	 */
	public record Answer(Stored stored, long dueMillis) {
	}

	/**
	 * The answers of one call.
	 *
	 * @param nowMicros the time of Redis
	 * @param newHead whether one of the messages is now the first one due
	 * @param firstUse whether the partition knew nothing of its queue before
	 * @param drainingSinceMillis since when the partition accepts nothing, ms since 1970,
	 * 0 if it does
	 * @param answers one for each message, in their order
	 */
	public record Answers(long nowMicros, boolean newHead, boolean firstUse, long drainingSinceMillis,
			List<Answer> answers) {
	}

	/**
	 * Stores messages of one partition.
	 * @param partition the partition
	 * @param partitions how many partitions the queue has
	 * @param maxDelay the longest time ahead
	 * @param messages 1 to {@value #MAX_BATCH} messages
	 * @return what became of each
	 */
	public Answers schedule(Partition partition, int partitions, Duration maxDelay, List<NewMessage> messages) {
		byte[][] arguments = new byte[3 + 3 * messages.size()][];
		arguments[0] = Reply.bytes(KeySpace.LAYOUT);
		arguments[1] = Reply.bytes(partitions);
		arguments[2] = Reply.bytes(maxDelay.toMillis());
		int next = 3;
		for (NewMessage message : messages) {
			arguments[next++] = Reply.bytes(message.id());
			arguments[next++] = message.due().toBytes();
			arguments[next++] = message.envelope();
		}
		Reply reply = this.calls.run(StoreScript.SCHEDULE, partition, arguments);
		List<Answer> answers = new ArrayList<>(messages.size());
		for (int i = 0; i < messages.size(); i++) {
			int at = FIRST_ANSWER + 2 * i;
			answers.add(new Answer(reply.word(Stored.class, at), reply.number(at + 1)));
		}
		return new Answers(reply.number(0), reply.number(1) == 1, reply.number(2) == 1, reply.number(3), answers);
	}

	/** What became of a message that was to be removed. */
	public enum Cancelled {

		/** No consumer takes it from now on. */
		CANCELLED,

		/** A consumer has it. */
		IN_FLIGHT,

		/** It was a dead letter. */
		DEAD,

		/** There is no such message. */
		NONE

	}

	/**
	 * Removes a message.
	 * @param partition the partition
	 * @param id the id
	 * @param token the token of this call: the same one when the call is repeated
	 * @param window for how long a repeat is recognised
	 * @return what became of it
	 */
	public Cancelled cancel(Partition partition, String id, String token, Duration window) {
		Reply reply = this.calls.run(StoreScript.CANCEL, partition, Reply.bytes(id), Reply.bytes(token),
				Reply.bytes(window.toMillis()));
		return reply.word(Cancelled.class, 0);
	}

	/** What became of a message that was to be moved. */
	public enum Moved {

		/** It has its new due time. */
		RESCHEDULED,

		/** A consumer has it. */
		IN_FLIGHT,

		/** It is a dead letter. */
		DEAD,

		/** There is no such message. */
		NONE,

		/** The due time lies beyond max-delay. */
		TOO_FAR

	}

	/**
	 * The answer to a move.
	 *
	 * @param moved what became of it
	 * @param dueMillis the new due time
	 * @param nowMicros the time of Redis
	 * @param newHead whether it is now the first one due
	 */
	public record MoveAnswer(Moved moved, long dueMillis, long nowMicros, boolean newHead) {
	}

	/**
	 * Moves a message to a new due time.
	 * @param partition the partition
	 * @param id the id
	 * @param due the new due time
	 * @param maxDelay the longest time ahead
	 * @param token the token of this call: the same one when the call is repeated
	 * @param window for how long a repeat is recognised
	 * @return what became of it
	 */
	public MoveAnswer reschedule(Partition partition, String id, Due due, Duration maxDelay, String token,
			Duration window) {
		Reply reply = this.calls.run(StoreScript.RESCHEDULE, partition, Reply.bytes(id), due.toBytes(),
				Reply.bytes(maxDelay.toMillis()), Reply.bytes(token), Reply.bytes(window.toMillis()));
		return new MoveAnswer(reply.word(Moved.class, 0), reply.number(1), reply.number(2), reply.number(3) == 1);
	}

	/**
	 * Looks at a message.
	 * @param partition the partition
	 * @param id the id
	 * @return the message, empty if there is none
	 */
	public Optional<MessageSnapshot> find(Partition partition, String id) {
		return look(partition, id).map((found) -> {
			MessageRecord message = found.message();
			return new MessageSnapshot(partition.queue(), id, message.envelope().group(), found.state(),
					Instant.ofEpochMilli(message.dueMillis()),
					(found.state() == MessageState.SCHEDULED) ? Instant.ofEpochMilli(found.nextAttemptMillis()) : null,
					found.failure().attempts(), found.failure().reason(), message.envelope().headers());
		});
	}

	/**
	 * Looks at a message, and at all that is kept of it.
	 * @param partition the partition
	 * @param id the id
	 * @return the message, empty if there is none
	 */
	public Optional<FoundMessage> look(Partition partition, String id) {
		Reply reply = this.calls.run(StoreScript.FIND, partition, Reply.bytes(id));
		String state = reply.text(0);
		return state.equals("NONE") ? Optional.empty() : Optional.of(new FoundMessage(partition, id,
				state.equals("NOWHERE") ? MessageState.SCHEDULED : MessageState.valueOf(state), reply.raw(1),
				reply.number(2), FailureRecord.from(reply.raw(3)), reply.text(4), reply.text(5), reply.number(6)));
	}

}
