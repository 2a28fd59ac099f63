package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds and mends what others have damaged: keys that were deleted, renamed or evicted, a
 * consumer group that was destroyed, a consumer that was deleted with what it held. Each
 * method is safe to repeat, at any time, by any number of processes, and throws
 * {@link StoreException}. One script looks at about 100 ids.
 */
public final class Repairs {

	private static final int IDS = 100;

	private static final int BYTES = 256 * 1024;

	private final RedisCalls calls;

	/**
	 * Creates the side.
	 * @param calls the way to Redis
	 */
	public Repairs(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * What a partition holds, at one instant.
	 *
	 * @param messages records
	 * @param scheduled ids that wait, due or not
	 * @param dead dead letters
	 * @param entries ids that are ready or pending
	 * @param ready entries in the stream
	 * @param stranded entries in the stream that nobody will deliver, as far as that can
	 * be told
	 * @param consumers members of the consumer group
	 * @param parked ids that are due and wait because their group is full
	 */
	public record Counts(long messages, long scheduled, long dead, long entries, long ready, long stranded,
			long consumers, long parked) {

		/**
		 * What does not add up.
		 * @return all 0 if every number is as it must be
		 */
		public Mismatch mismatch() {
			return new Mismatch(this.messages - this.scheduled - this.parked - this.dead - this.entries,
					Math.max(0, this.entries - this.ready), this.stranded);
		}

	}

	/**
	 * By how much the counts of a partition do not add up. Anything but 0 is damage, or
	 * what a script that stopped half-way has left and somebody will settle.
	 *
	 * @param withoutPlace records without a place; less than 0 for places without a
	 * record, or more than one for a record
	 * @param withoutEntry messages whose entry is not in the stream
	 * @param stranded entries that nobody will deliver
	 */
	public record Mismatch(long withoutPlace, long withoutEntry, long stranded) {

		/**
		 * Whether everything adds up.
		 * @return {@code true} if all is 0
		 */
		public boolean isNone() {
			return this.withoutPlace == 0 && this.withoutEntry == 0 && this.stranded == 0;
		}

	}

	/**
	 * Counts what must add up. Writes nothing.
	 * @param partition the partition
	 * @return what it holds
	 */
	public Counts audit(Partition partition) {
		Reply reply = this.calls.run(StoreScript.AUDIT, partition);
		return new Counts(reply.number(0), reply.number(1), reply.number(2), reply.number(3), reply.number(4),
				reply.number(5), reply.number(6), reply.number(7));
	}

	/** What was wrong with a message, and how it was put right. */
	public enum Damage {

		/** It was nowhere; it is scheduled for its due time. */
		NO_PLACE,

		/** It was scheduled or dead as well; it is in one place. */
		TWO_PLACES,

		/** It was scheduled for before its due time; it is scheduled for that. */
		EARLY,

		/** Something was left of it that means nothing; that is gone. */
		LEFT_OVER,

		/** Its record was gone; it will not be delivered. */
		LOST

	}

	/**
	 * A message that was put right.
	 *
	 * @param damage what was wrong
	 * @param id the message's id
	 */
	public record Repaired(Damage damage, String id) {
	}

	/**
	 * Where a pass over all ids of a partition has come to.
	 *
	 * @param of what is looked at
	 * @param cursor where in it
	 */
	public record Position(String of, String cursor) {

		/** Where a pass begins. */
		public static final Position BEGIN = new Position("messages", "0");

		/**
		 * Whether the pass is over.
		 * @return {@code true} if there is no next page
		 */
		public boolean isEnd() {
			return this.of.isEmpty();
		}

	}

	/**
	 * What a page came to.
	 *
	 * @param repaired what was put right
	 * @param next where to go on
	 */
	public record Page(List<Repaired> repaired, Position next) {
	}

	/**
	 * Puts right what is wrong in one page. A pass, from {@link Position#BEGIN} to its
	 * end, meets every id that is there all the while. Writes nothing where nothing is
	 * wrong.
	 * @param partition the partition
	 * @param position where
	 * @return what was put right, and where to go on
	 */
	public Page repair(Partition partition, Position position) {
		Reply misplaced = this.calls.run(StoreScript.FIND_MISPLACED, partition, Reply.bytes(position.of()),
				Reply.bytes(position.cursor()), Reply.bytes(IDS), Reply.bytes(BYTES));
		List<Repaired> repaired = new ArrayList<>(0);
		int next = 2;
		while (next < misplaced.size()) {
			next += 2 * repair(partition, misplaced, next, repaired);
		}
		return new Page(repaired, new Position(misplaced.text(0), misplaced.text(1)));
	}

	/** Decides on some misplaced, from one on; says on how many. */
	private int repair(Partition partition, Reply misplaced, int from, List<Repaired> repaired) {
		int to = Math.min(misplaced.size(), from + 2 * IDS);
		byte[][] arguments = new byte[1 + to - from][];
		arguments[0] = Reply.bytes(BYTES);
		for (int i = from; i < to; i++) {
			arguments[1 + i - from] = misplaced.raw(i);
		}
		Reply reply = this.calls.run(StoreScript.REPAIR, partition, arguments);
		for (int i = 1; i < reply.size(); i += 2) {
			repaired.add(new Repaired(reply.word(Damage.class, i), reply.text(i + 1)));
		}
		return (int) reply.number(0);
	}

}
