package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.queue.Partition;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the ready messages of a partition for a consumer, which settles them with
 * {@link PendingMessages}. One atomic script takes the messages; large records need
 * further calls. A repeat of a read takes other messages. The methods throw
 * {@link StoreException}.
 */
public final class ReadyMessages {

	/**
	 * When the records in the reply of a script have this number of bytes, the script
	 * adds no further record, so that each call is short.
	 */
	static final int ENOUGH_BYTES = 1 << 19;

	/**
	 * The value of the script argument "end of the grant" if an earlier call has
	 * delivered the messages.
	 */
	private static final long DELIVERED = 1;

	/** Number of values that the reply of a script has for each message. */
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
	 * A stream entry that was delivered to a consumer.
	 *
	 * @param entry the id of the stream entry
	 * @param storedId the message's id and group
	 * @param record the message's record; {@code null} if the message has no record, or
	 * if another entry is its current entry. In this case the consumer must release this
	 * entry, and not handle the message
	 * @param failures the record of the message's failed deliveries
	 * @param special a further reason why the consumer must not handle the message
	 * @param expiryMillis the time until which an attempt to handle the message may
	 * begin, ms since 1970, -1 for no expiry
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record Entry(String entry, StoredId storedId, byte @Nullable [] record, FailureRecord failures,
			Special special, long expiryMillis) {

		/**
		 * {@return the id of the message}
		 */
		public String id() {
			return this.storedId.id();
		}

		/** Why a consumer must not handle the message of a delivered stream entry. */
		public enum Special {

			/** The consumer may handle the message if the reply contains its record. */
			NONE,

			/**
			 * The entry is the message's current entry, but the message has no record,
			 * because another program has removed the record.
			 */
			LOST,

			/**
			 * The group of the message is held: the consumer must release the message.
			 */
			HELD

		}

	}

	/**
	 * The messages that a read has delivered.
	 *
	 * @param entries the delivered entries, in the order of the stream
	 * @param nowMicros the time of Redis after the read
	 * @param state whether the consumer may handle messages; if not, nothing was
	 * delivered, unless the pause or the hold began during the read
	 */
	public record Read(List<Entry> entries, long nowMicros, State state) {

		/** Whether a consumer may handle messages of a partition. */
		public enum State {

			/** The consumer may handle messages. */
			OPEN,

			/**
			 * Nothing was delivered, because the queue has limits, and the call had no
			 * grant.
			 */
			LIMITED,

			/**
			 * Nothing was delivered, because more messages are pending with this consumer
			 * than it holds: the reply of an earlier read was lost, or a replica has
			 * become the master without the last acknowledgements.
			 */
			UNKNOWN_PENDING,

			/** The consumer may handle no message, because the partition is paused. */
			PAUSED,

			/** The consumer may handle no message, because the partition is held. */
			HELD

		}

		/**
		 * Whether the partition is paused or held.
		 * @return {@code true} if consumers may handle no message of the partition
		 */
		public boolean isStopped() {
			return this.state == State.PAUSED || this.state == State.HELD;
		}

		/**
		 * Whether nothing was delivered because the queue has limits and the call had no
		 * grant.
		 * @return {@code true} if the next read needs a grant
		 */
		public boolean limited() {
			return this.state == State.LIMITED;
		}

	}

	/**
	 * The conditions under which a read may deliver messages.
	 *
	 * @param validUntilMicros the end of the grant for the messages, us since 1970; 0
	 * without a grant
	 * @param held the number of pending entries that the consumer knows: nothing is
	 * delivered while it has more. -1 to deliver without this check
	 */
	public record Allowance(long validUntilMicros, int held) {

		/**
		 * The allowance for reads from a queue without limits; the script does not check
		 * whether the consumer knows all its pending entries.
		 */
		public static final Allowance UNLIMITED = new Allowance(0, -1);

	}

	/**
	 * Delivers ready messages of a queue without limits to a consumer.
	 * @param partition the partition
	 * @param consumer the consumer's name, unique for each start of a process
	 * @param count the most messages that the consumer gets
	 * @return the delivered messages
	 */
	public Read read(Partition partition, String consumer, int count) {
		return read(partition, consumer, count, Allowance.UNLIMITED);
	}

	/**
	 * Delivers ready messages of a partition to a consumer, unless the partition is
	 * paused or held. The messages become pending with the consumer. The first call to
	 * Redis takes entries of the stream, and returns the records as of that moment.
	 * Further calls return the records that did not fit in its reply.
	 * @param partition the partition
	 * @param consumer the consumer's name, unique for each start of a process
	 * @param count the most messages that the consumer gets
	 * @param allowance the grant for these messages
	 * @return the delivered messages
	 */
	public Read read(Partition partition, String consumer, int count, Allowance allowance) {
		return complete(this.calls.run(StoreScript.READ, partition, consumer, count, ENOUGH_BYTES,
				allowance.validUntilMicros(), allowance.held()), 2, partition, consumer);
	}

	/**
	 * Returns the delivered messages of a script's reply, and reads the records that did
	 * not fit in this reply.
	 * @param first a reply that begins with the state of the partition and the time of
	 * Redis
	 * @param at the index at which the messages begin
	 */
	Read complete(Reply first, int at, Partition partition, String consumer) {
		List<Entry> entries = new ArrayList<>();
		Reply reply = first;
		for (int rest = add(reply, at, entries); rest < reply.size(); rest = add(reply, 2, entries)) {
			reply = this.calls.run(StoreScript.READ, partition, consumer, 0, ENOUGH_BYTES, DELIVERED, -1,
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
	 * Adds the messages of a script's reply to a list. Returns the index, in the reply,
	 * of the first message whose record did not fit.
	 */
	private static int add(Reply reply, int counted, List<Entry> entries) {
		int first = counted + 1;
		int rest = first + OF_MESSAGE * Math.toIntExact(reply.number(counted));
		for (int at = first; at < rest; at += OF_MESSAGE) {
			String expiry = reply.text(at + 3);
			entries.add(new Entry(reply.text(at), reply.id(at + 1), reply.rawIfAny(at + 5),
					FailureRecord.from(reply.raw(at + 2)), special(reply.number(at + 4)),
					expiry.isEmpty() ? -1 : Long.parseLong(expiry)));
		}
		return rest;
	}

	/**
	 * Whether this process skips the partition, because another version of the library
	 * has laid out its keys. Does not call Redis, but uses the reply of the last script
	 * that checked the layout.
	 * @param partition the partition
	 * @return {@code true} if this script has found the layout of another version
	 */
	public boolean isLayoutForeign(Partition partition) {
		return this.calls.isLayoutForeign(partition);
	}

	/**
	 * Checks that the connected Redis user may run all commands that a consumer needs.
	 * @param partition the partition
	 * @throws StoreException that names every missing right
	 */
	public void checkRights(Partition partition) {
		Diagnosis.checkRights(this.calls, partition);
	}

}
