package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.queue.Partition;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the ready messages of a partition for a consumer; {@link PendingMessages} settles
 * them. A read is one atomic script, and needs further calls for large records; a repeat
 * reads other messages. Throws {@link StoreException}.
 */
public final class ReadyMessages {

	/** Bytes of records after which a reply ends, so that calls are short. */
	static final int ENOUGH_BYTES = 1 << 19;

	/** Sent for the end of the grant if an earlier call has delivered the messages. */
	private static final long DELIVERED = 1;

	/** Number of values in the reply for each message that was read. */
	private static final int OF_MESSAGE = 6;

	private final RedisCalls calls;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public ReadyMessages(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * A delivered entry of the stream.
	 *
	 * @param entry the stream entry's id
	 * @param id the message's id
	 * @param record the message's record, {@code null} if it has none or has another
	 * current entry: the consumer must release this entry, not handle it
	 * @param failures the message's failed deliveries so far
	 * @param special why the consumer must not handle the message, apart from a missing
	 * record
	 * @param expiryMillis until when an attempt may begin, ms since 1970, -1 for no
	 * expiry
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record Entry(String entry, String id, byte @Nullable [] record, FailureRecord failures, Special special,
			long expiryMillis) {

		/** Why a consumer must not handle a delivered entry. */
		public enum Special {

			/** No reason, apart from a missing record. */
			NONE,

			/**
			 * The entry is the message's current one although there is no record: another
			 * program has removed it.
			 */
			LOST,

			/** The group of the message is held: the consumer must release the entry. */
			HELD

		}

	}

	/**
	 * The result of a read.
	 *
	 * @param entries the entries, in the order of the stream
	 * @param nowMicros the time of Redis after the read
	 * @param state whether messages may be handled; if not, nothing was delivered, unless
	 * the pause or the hold began during the read
	 */
	public record Read(List<Entry> entries, long nowMicros, State state) {

		/** Whether a consumer may handle messages of a partition. */
		public enum State {

			/** The consumer may handle messages. */
			OPEN,

			/** Nothing was delivered: the queue has limits, and the call had no grant. */
			LIMITED,

			/**
			 * Nothing was delivered: messages of an earlier call are pending with this
			 * consumer, and its reply was lost.
			 */
			UNHEARD,

			/** An operator has paused the partition. */
			PAUSED,

			/** The partition delivers nothing until the end of its hold. */
			HELD

		}

		/**
		 * Whether the partition is paused or held.
		 * @return {@code true} if no message of it may be handled
		 */
		public boolean isStopped() {
			return this.state == State.PAUSED || this.state == State.HELD;
		}

		/**
		 * Whether nothing was delivered because the queue has limits and the call had no
		 * grant.
		 * @return {@code true} if the next call needs a grant
		 */
		public boolean limited() {
			return this.state == State.LIMITED;
		}

	}

	/**
	 * Which messages a call may deliver.
	 *
	 * @param validUntilMillis the end of the grant for these messages, ms since 1970; 0
	 * without a grant
	 * @param known the last entry that the consumer has received: nothing is delivered
	 * while later entries are pending with it; empty to deliver without a check
	 */
	public record Allowance(long validUntilMillis, String known) {

		/** The allowance of a queue without limits. */
		public static final Allowance UNLIMITED = new Allowance(0, "");

	}

	/**
	 * Takes ready messages of a queue without limits.
	 * @param partition the partition
	 * @param consumer the consumer's name, unique for each start of a process
	 * @param count the most messages
	 * @return the delivered messages
	 */
	public Read read(Partition partition, String consumer, int count) {
		return read(partition, consumer, count, Allowance.UNLIMITED);
	}

	/**
	 * Takes ready messages, unless the partition is paused or held. The messages become
	 * pending with that consumer. One call takes entries of the stream and returns their
	 * records as of that instant; further calls return the records that do not fit in its
	 * reply.
	 * @param partition the partition
	 * @param consumer the consumer's name, unique for each start of a process
	 * @param count the most messages
	 * @param allowance the grant for these messages
	 * @return the delivered messages
	 */
	public Read read(Partition partition, String consumer, int count, Allowance allowance) {
		return complete(this.calls.run(StoreScript.READ, partition, consumer, count, ENOUGH_BYTES,
				allowance.validUntilMillis(), allowance.known()), 2, partition, consumer);
	}

	/**
	 * Returns the delivered messages of a reply, and reads the records that did not fit
	 * in the reply.
	 * @param first a reply that begins with the state of the partition and the time of
	 * Redis
	 * @param at the index at which the messages begin
	 */
	Read complete(Reply first, int at, Partition partition, String consumer) {
		List<Entry> entries = new ArrayList<>();
		Reply reply = first;
		for (int rest = add(reply, at, entries); rest < reply.size(); rest = add(reply, 2, entries)) {
			reply = this.calls.run(StoreScript.READ, partition, consumer, 0, ENOUGH_BYTES, DELIVERED, "",
					reply.rest(rest, reply.size()));
		}
		return new Read(entries, reply.number(1), state(reply));
	}

	private static Entry.Special special(long code) {
		return Entry.Special.values()[Math.toIntExact(code)];
	}

	private static Read.State state(Reply reply) {
		return reply.is("read") || reply.is("swept") ? Read.State.OPEN : reply.word(Read.State.class, 0);
	}

	/**
	 * Adds the messages of a reply; returns the index at which ids without a record
	 * follow.
	 */
	private static int add(Reply reply, int counted, List<Entry> entries) {
		int first = counted + 1;
		int rest = first + OF_MESSAGE * Math.toIntExact(reply.number(counted));
		for (int at = first; at < rest; at += OF_MESSAGE) {
			String expiry = reply.text(at + 3);
			entries.add(new Entry(reply.text(at), reply.text(at + 1), reply.rawIfAny(at + 5),
					FailureRecord.from(reply.raw(at + 2)), special(reply.number(at + 4)),
					expiry.isEmpty() ? -1 : Long.parseLong(expiry)));
		}
		return rest;
	}

	/**
	 * Whether this process skips the partition, because another version of the library
	 * has laid out its keys. Does not call Redis: uses the answer of the last script that
	 * checked the layout.
	 * @param partition the partition
	 * @return {@code false} if no script has found another layout
	 */
	public boolean isLayoutForeign(Partition partition) {
		return this.calls.isLayoutForeign(partition);
	}

	/**
	 * Checks that the connected user may run all commands that a consumer needs.
	 * @param partition the partition
	 * @throws StoreException that names every missing right
	 */
	public void checkRights(Partition partition) {
		Diagnosis.checkRights(this.calls, partition);
	}

}
