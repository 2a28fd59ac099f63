package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.MessageKey;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.PartitionControl.Setting;
import org.jspecify.annotations.Nullable;

/**
 * Prepares and closes partitions, and moves their dead letters, when a change of the
 * partition count begins a new epoch of a queue (an epoch: the partitions of a queue
 * while their count stays the same). Each method runs one atomic script, is safe to
 * repeat, and throws a {@code StoreException}.
 */
public final class EpochCalls {

	/** The largest number of dead letters that one call moves. */
	static final int MOST_CARRIED = 100;

	private static final int CARRIED_BYTES = 1 << 19;

	/**
	 * The time for which a partition keeps the id of a dead letter that was moved to it:
	 * longer than other processes need to take over the work of a dead process.
	 */
	private static final Duration ARRIVED = Duration.ofMinutes(10);

	/**
	 * Number of values of a dead letter in the reply: id, time of death, record,
	 * failures, and due time with group.
	 */
	private static final int PARTS = 5;

	private final RedisCalls calls;

	private final Groups groups;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public EpochCalls(RedisCalls calls) {
		this.calls = calls;
		this.groups = new Groups(calls);
	}

	/**
	 * Prepares a partition for a newer epoch: from now on, scripts of earlier versions of
	 * the library, which have no epochs, refuse the partition.
	 * @param partition the partition
	 */
	public void prepare(Partition partition) {
		this.calls.run(StoreScript.CLOSE, partition, "");
	}

	/**
	 * Closes a partition: from now on, the partition accepts a message only if it has a
	 * record of the message's group or, for a message without a group, of the message's
	 * id.
	 * @param partition the partition
	 * @param epochs the epochs of the queue; the messages that the partition refuses
	 * belong to the current epoch
	 */
	public void close(Partition partition, Epochs epochs) {
		this.calls.run(StoreScript.CLOSE, partition, epochs.after(partition.epoch()));
	}

	/**
	 * Gives a partition of a new epoch the switches (such as pause) and holds of an older
	 * epoch, unless an earlier call has done so.
	 * @param partition the partition
	 * @param partitions the partition count of the new epoch
	 * @param switches the state of the switches in the older epoch
	 * @param holds the holds of the whole queue and of its groups, at most one of each
	 * group
	 */
	public void layOut(Partition partition, int partitions, Setting switches, Collection<QueueHold> holds) {
		this.calls.run(StoreScript.LAY_OUT, partition, partitions, switches.pausedSinceMillis(),
				switches.drainingSinceMillis(), switches.limitedSinceMillis(), switches.visibilityTimeoutMillis(),
				switches.history().isEmpty() ? "0" : switches.history(),
				holds.stream().flatMap((hold) -> Stream.of(Holds.field(hold.group()), Holds.text(hold))).toList());
	}

	/**
	 * Whether a partition of an older epoch has ended (holds nothing any more). The names
	 * are those in the script.
	 */
	public enum End {

		/**
		 * The partition is closed, has no message and no recurring schedule, and keeps no
		 * id of a finished message.
		 */
		ENDED,

		/** Like {@link #ENDED}, but the history of the partition is not empty. */
		REMEMBERS,

		/**
		 * Like {@link #ENDED}, but the partition keeps ids of dead letters that were
		 * moved to it: the partition must not end while an older epoch may still have
		 * these dead letters.
		 */
		RECEIVED,

		/**
		 * The partition is closed, and has messages or recurring schedules, or keeps ids
		 * of finished messages.
		 */
		LASTS,

		/** The partition is not closed. */
		OPEN

	}

	/**
	 * The numbers of messages that keep a partition of an older epoch from ending.
	 *
	 * @param end whether the partition has ended
	 * @param messages the number of messages of the partition, dead letters included
	 * @param dead the number of dead letters of the partition
	 */
	public record Remaining(End end, long messages, long dead) {

		/**
		 * Whether the only messages that keep the partition from ending are dead letters.
		 * @return {@code true} if the partition is closed, and all its messages are dead
		 * letters
		 */
		public boolean isOnlyDead() {
			return this.end == End.LASTS && this.dead > 0 && this.messages == this.dead;
		}

	}

	/**
	 * A dead letter that a process is moving to a newer epoch.
	 *
	 * @param storedId the id and the group of the message
	 * @param parts all that the partition of the older epoch stores of the dead letter
	 * @param readAtMillis when the process read the dead letter, ms since 1970 by the
	 * clock of the older partition's server
	 */
	public record Carried(StoredId storedId, List<byte[]> parts, long readAtMillis) {

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

	}

	/**
	 * Reads dead letters of a closed partition that has no other messages, to move them
	 * to a newer epoch. From now on until no dead letters are left, the partition accepts
	 * no message, and the scripts refuse calls that would change its dead letters.
	 * @param partition the partition
	 * @param offset the number of dead letters to skip
	 * @return some of the dead letters; empty if there are no more, or the partition has
	 * other messages
	 */
	public List<Carried> carryOut(Partition partition, int offset) {
		return carryOut(partition, offset, List.of());
	}

	/**
	 * Reads some dead letters as {@link #carryOut(Partition, int)} does.
	 * @param partition the partition
	 * @param ids the ids and groups of 1 to {@value #MOST_CARRIED} messages
	 * @return one or more of those of the messages that are dead letters; empty if none
	 * is one
	 */
	public List<Carried> carryOut(Partition partition, List<StoredId> ids) {
		return carryOut(partition, 0, ids);
	}

	private List<Carried> carryOut(Partition partition, int offset, List<StoredId> ids) {
		Reply reply = this.calls.run(StoreScript.CARRY_OUT, partition, offset, MOST_CARRIED, CARRIED_BYTES, ids);
		List<Carried> carried = new ArrayList<>();
		for (int at = 2; at < reply.size(); at += PARTS) {
			int first = at;
			carried.add(new Carried(reply.id(at),
					IntStream.range(0, PARTS).mapToObj((n) -> reply.raw(first + n)).toList(), reply.number(1)));
		}
		return carried;
	}

	/**
	 * Lists the messages that a candidate may mean, to move those that are dead letters.
	 * @param candidate the partition and the message
	 * @return the message that the candidate names; if any group is meant, also messages
	 * with this id and a group
	 */
	List<StoredId> meant(Candidate candidate) {
		return this.groups.meant(candidate);
	}

	/** What a partition of a newer epoch does with a dead letter of an older epoch. */
	public enum Arrival {

		/**
		 * The partition of the newer epoch has stored the dead letter, now or in an
		 * earlier run of the call.
		 */
		HERE,

		/**
		 * The dead letter stays in the older epoch, because the newer epoch has a message
		 * with the same id.
		 */
		STAYS,

		/**
		 * The partition that was to store the dead letter is closed, or its own dead
		 * letters move: the dead letter belongs in a still newer epoch.
		 */
		ELSEWHERE,

		/**
		 * The caller read the dead letter minutes ago, or before the partition that was
		 * to store it has ended, and must read the dead letter again.
		 */
		LATE

	}

	/**
	 * Stores dead letters that a process moves from an older epoch, unless they belong in
	 * a still newer epoch.
	 * @param partition the partition of the newer epoch
	 * @param epochs the epochs that the caller has read
	 * @param letters 1 to {@value #MOST_CARRIED} dead letters
	 * @param slots the quota of a group, if dead letters count against it: a dead letter
	 * that finds the quota used up loses its slot; 0 if dead letters do not count
	 * @return for each dead letter, what the partition has done with it
	 */
	public List<Arrival> carryIn(Partition partition, Epochs epochs, List<Carried> letters, int slots) {
		Reply reply = this.calls.run(StoreScript.CARRY_IN, partition, slots, epochs.after(partition.epoch()), ARRIVED,
				letters.get(0).readAtMillis(), letters.stream().flatMap((letter) -> letter.parts().stream()).toList());
		return IntStream.range(1, reply.size()).mapToObj((n) -> reply.word(Arrival.class, n)).toList();
	}

	/**
	 * Removes dead letters from a partition of an older epoch after a newer epoch has
	 * stored them, unless they have changed.
	 * @param partition the partition of the older epoch
	 * @param letters 0 to {@value #MOST_CARRIED} dead letters, as they were read
	 */
	public void carried(Partition partition, List<Carried> letters) {
		this.calls.run(StoreScript.CARRIED, partition,
				letters.stream()
					.<Object>flatMap((letter) -> Stream.of(letter.storedId(), letter.parts().get(1)))
					.toList());
	}

	/**
	 * Removes all keys of a partition of an older epoch which has ended, but not the key
	 * {@code control}, which names the newer epochs.
	 * @param partition the partition
	 * @return {@code false} if the partition is open, or has messages or recurring
	 * schedules; then this call changes nothing
	 */
	public boolean end(Partition partition) {
		return this.calls.run(StoreScript.END_PARTITION, partition).is("ended");
	}

	/**
	 * Counts the messages and dead letters that keep a partition of an older epoch from
	 * ending. Writes nothing.
	 * @param partition the partition
	 * @return the counts, and whether the partition has ended
	 */
	public Remaining remaining(Partition partition) {
		Reply reply = this.calls.run(StoreScript.REMAINING, partition);
		return new Remaining(reply.word(End.class, 0), reply.number(1), reply.number(2));
	}

}
