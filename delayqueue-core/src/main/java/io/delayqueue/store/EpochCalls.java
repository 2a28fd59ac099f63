package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.admin.QueueHold;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.PartitionControl.Setting;
import org.jspecify.annotations.Nullable;

/**
 * Prepares, closes and ends partitions when the partition count of a queue changes. Each
 * method is one atomic script, safe to repeat, and throws a {@code StoreException}.
 */
public final class EpochCalls {

	private static final int MOST_CARRIED = 100;

	private static final int CARRIED_BYTES = 1 << 19;

	/** Much longer than the time until a dead process is replaced. */
	private static final Duration ARRIVED = Duration.ofMinutes(10);

	/** Id, time of death, record, failures, due time and group. */
	private static final int PARTS = 5;

	private final RedisCalls calls;

	/**
	 * Creates the calls.
	 * @param calls the way to Redis
	 */
	public EpochCalls(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Prepares a partition for a newer epoch: from now on it refuses processes of earlier
	 * versions, which have no epochs.
	 * @param partition the partition
	 */
	public void prepare(Partition partition) {
		this.calls.run(StoreScript.CLOSE, partition, "");
	}

	/**
	 * Closes a partition: from now on it accepts only messages of groups, and without a
	 * group with ids, of which it has a record.
	 * @param partition the partition
	 * @param epochs the epochs; all other messages belong to the current one
	 */
	public void close(Partition partition, Epochs epochs) {
		this.calls.run(StoreScript.CLOSE, partition, epochs.after(partition.epoch()));
	}

	/**
	 * Gives a partition of a new epoch the switches and holds of an older one, unless it
	 * has been laid out before.
	 * @param partition the partition
	 * @param partitions the partition count of its epoch
	 * @param switches the switches
	 * @param holds the holds, each of another group or of the whole queue
	 */
	public void layOut(Partition partition, int partitions, Setting switches, Collection<QueueHold> holds) {
		this.calls.run(StoreScript.LAY_OUT, partition, partitions, switches.pausedSinceMillis(),
				switches.drainingSinceMillis(), switches.limitedSinceMillis(), switches.visibilityTimeoutMillis(),
				switches.history().isEmpty() ? "0" : switches.history(),
				holds.stream().flatMap((hold) -> Stream.of(Holds.field(hold.group()), Holds.text(hold))).toList());
	}

	/** Whether a partition of an older epoch has ended, named as in the script. */
	public enum End {

		/** The partition is closed, has no message and remembers no finished id. */
		ENDED,

		/** As {@link #ENDED}, but the history of the partition is not empty. */
		REMEMBERS,

		/**
		 * As {@link #ENDED}, but the partition remembers dead letters that were carried
		 * to it: it must last while an older epoch may have them.
		 */
		RECEIVED,

		/** The partition is closed, and has messages or remembers finished ids. */
		LASTS,

		/** The partition is not closed. */
		OPEN

	}

	/**
	 * The contents that keep a partition of an older epoch from ending.
	 *
	 * @param end whether it has ended
	 * @param messages the number of its messages, dead letters included
	 * @param dead the number of its dead letters
	 */
	public record Remaining(End end, long messages, long dead) {

		/**
		 * Whether its dead letters keep it from ending.
		 * @return {@code true} if it is closed, and all its messages are dead letters
		 */
		public boolean isOnlyDead() {
			return this.end == End.LASTS && this.dead > 0 && this.messages == this.dead;
		}

	}

	/**
	 * A dead letter on its way to a newer epoch.
	 *
	 * @param id the id
	 * @param parts all that is stored of it
	 * @param group its group, {@code null} if it has none
	 * @param readAtMillis when it was read, by the clock of the older partition
	 */
	public record Carried(String id, List<byte[]> parts, @Nullable String group, long readAtMillis) {
	}

	/**
	 * Reads dead letters of a closed partition that has no other messages. Until
	 * {@link #carried} is called, calls that would change dead letters of this partition
	 * are refused, and may be repeated.
	 * @param partition the partition
	 * @param offset how many dead letters to pass over
	 * @param carrier the process that carries them
	 * @return some of its dead letters, none if there are no further ones or it has other
	 * messages
	 */
	public List<Carried> carryOut(Partition partition, int offset, String carrier) {
		Reply reply = this.calls.run(StoreScript.CARRY_OUT, partition, offset, MOST_CARRIED, CARRIED_BYTES, carrier);
		List<Carried> carried = new ArrayList<>();
		for (int at = 2; at < reply.size(); at += PARTS) {
			int first = at;
			String about = reply.text(at + PARTS - 1);
			carried.add(new Carried(reply.text(at),
					IntStream.range(0, PARTS).mapToObj((n) -> reply.raw(first + n)).toList(),
					// 16 digits of the due time and a NUL come first
					about.isEmpty() ? null : about.substring(17), reply.number(1)));
		}
		return carried;
	}

	/** The answer of a partition to a dead letter of an older epoch. */
	public enum Arrival {

		/** The partition has the dead letter, or had it. */
		HERE,

		/**
		 * The dead letter stays in the older epoch, because its id, or the id of another
		 * dead letter of its group, is taken.
		 */
		STAYS,

		/** The partition is closed: the dead letter belongs to a newer epoch. */
		ELSEWHERE,

		/** It was read minutes ago, and must be read again. */
		LATE

	}

	/**
	 * Stores dead letters of an older epoch, unless they belong to a newer one.
	 * @param partition the partition of the newer epoch
	 * @param epochs the epochs that the caller knows
	 * @param letters 1 to {@value #MOST_CARRIED} dead letters
	 * @param countsDead whether a dead letter counts against the quota of its group
	 * @return one answer for each dead letter
	 */
	public List<Arrival> carryIn(Partition partition, Epochs epochs, List<Carried> letters, boolean countsDead) {
		Reply reply = this.calls.run(StoreScript.CARRY_IN, partition, countsDead, epochs.after(partition.epoch()),
				ARRIVED, letters.get(0).readAtMillis(),
				letters.stream().flatMap((letter) -> letter.parts().stream()).toList());
		return IntStream.range(1, reply.size()).mapToObj((n) -> reply.word(Arrival.class, n)).toList();
	}

	/**
	 * Removes dead letters that a newer epoch has, unless another process has begun to
	 * carry them since.
	 * @param partition the partition of the older epoch
	 * @param carrier the process that carries them
	 * @param ids their ids
	 */
	public void carried(Partition partition, String carrier, List<String> ids) {
		this.calls.run(StoreScript.CARRIED, partition, carrier, ids);
	}

	/**
	 * The contents that keep a partition of an older epoch from ending. Writes nothing.
	 * @param partition the partition
	 * @return the counts
	 */
	public Remaining remaining(Partition partition) {
		Reply reply = this.calls.run(StoreScript.REMAINING, partition);
		return new Remaining(reply.word(End.class, 0), reply.number(1), reply.number(2));
	}

}
