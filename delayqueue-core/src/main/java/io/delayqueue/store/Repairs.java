package io.delayqueue.store;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;

/**
 * Finds and repairs damage from outside this library: keys that were deleted, renamed or
 * evicted, a consumer group that was destroyed, a consumer that was deleted with its
 * pending messages. Each method is safe to repeat, at any time, by any number of
 * processes, and throws {@link StoreException}. One script checks about 100 ids.
 */
public final class Repairs {

	private static final int IDS = 100;

	private static final int BYTES = 256 * 1024;

	private static final Position DEAD = new Position("dead", "0");

	private final RedisCalls calls;

	/**
	 * Creates the calls.
	 * @param calls the way to Redis
	 */
	public Repairs(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * The counts of a partition, at one instant.
	 *
	 * @param messages records
	 * @param scheduled scheduled ids, due or not
	 * @param dead dead letters
	 * @param entries ids that are ready or pending
	 * @param ready entries in the stream
	 * @param stranded entries in the stream that no consumer will get, as far as that can
	 * be determined
	 * @param consumers members of the consumer group
	 * @param parked due ids that wait because their group is full
	 * @param remembers whether the partition keeps a history, or has kept one
	 * @param hasRecurring whether the partition has had recurring schedules
	 */
	public record Counts(long messages, long scheduled, long dead, long entries, long ready, long stranded,
			long consumers, long parked, boolean remembers, boolean hasRecurring) {

		/**
		 * The differences between counts that must agree.
		 * @return all 0 if the counts agree
		 */
		public Mismatch mismatch() {
			return new Mismatch(this.messages - this.scheduled - this.parked - this.dead - this.entries,
					Math.max(0, this.entries - this.ready), this.stranded);
		}

	}

	/**
	 * The differences between the counts of a partition. A number other than 0 is damage,
	 * or the state after a script that stopped half-way, which a settlement or a reclaim
	 * will complete.
	 *
	 * @param withoutPlace records that are in no state; less than 0 for states without a
	 * record, or several for one record
	 * @param withoutEntry messages with an entry that is not in the stream
	 * @param stranded entries that no consumer will get
	 */
	public record Mismatch(long withoutPlace, long withoutEntry, long stranded) {

		/**
		 * Whether all counts agree.
		 * @return {@code true} if all is 0
		 */
		public boolean isNone() {
			return this.withoutPlace == 0 && this.withoutEntry == 0 && this.stranded == 0;
		}

	}

	/**
	 * Reads the counts that must agree. Writes nothing.
	 * @param partition the partition
	 * @return the counts
	 */
	public Counts audit(Partition partition) {
		Reply reply = this.calls.run(StoreScript.AUDIT, partition);
		return new Counts(reply.number(1), reply.number(2), reply.number(3), reply.number(4), reply.number(5),
				reply.number(6), reply.number(7), reply.number(8), !reply.text(9).isEmpty(), reply.number(10) == 1);
	}

	/** What was wrong with a message, and how it was repaired. */
	public enum Damage {

		/** The message was in no state; after the repair it is scheduled. */
		NO_PLACE,

		/** The message was in two states; after the repair it is in one state. */
		TWO_PLACES,

		/** The message was to be delivered before its due time; this is corrected. */
		EARLY,

		/** Keys held obsolete data of the message; the repair removed these data. */
		LEFT_OVER,

		/** The record of the message was missing; the message cannot be delivered. */
		LOST

	}

	/**
	 * A repaired message.
	 *
	 * @param damage what was wrong
	 * @param id the message's id
	 */
	public record Repaired(Damage damage, String id) {
	}

	/**
	 * The position of a pass over all ids of a partition.
	 *
	 * @param of the key that is scanned
	 * @param cursor the cursor in that key
	 */
	public record Position(String of, String cursor) {

		/** The beginning of a pass. */
		public static final Position BEGIN = new Position("messages", "0");

		private static final Pattern FORM = Pattern
			.compile("(?<of>messages|scheduled|ready|dead|entries|failures|expiries"
					+ "|grouped|groups|active|parked)\\.(?<cursor>\\d{1,20}|\\((?<ms>\\d{1,20})-(?<number>\\d{1,20}))");

		/**
		 * Reads a position that a caller has kept as text.
		 * @param text the {@link #toString} of a position
		 * @return the position
		 * @throws IllegalArgumentException if the text is of another form
		 */
		public static Position parse(String text) {
			Matcher parts = FORM.matcher(text);
			boolean fits = parts.matches()
					&& ((parts.group("ms") != null) ? parts.group("of").equals("ready") && isNumber(parts.group("ms"))
							&& isNumber(parts.group("number")) : isNumber(parts.group("cursor")));
			if (!fits) {
				throw new IllegalArgumentException("Not a position in the ids of a partition");
			}
			return new Position(parts.group("of"), parts.group("cursor"));
		}

		/** Redis rejects a number that does not fit in 64 bits. */
		private static boolean isNumber(String digits) {
			return new BigInteger(digits).bitLength() <= Long.SIZE;
		}

		/**
		 * Whether the pass is over.
		 * @return {@code true} if there is no next page
		 */
		public boolean isEnd() {
			return this.of.isEmpty();
		}

		/** The position as text, for a later call. */
		@Override
		public String toString() {
			return this.of + "." + this.cursor;
		}

	}

	/**
	 * The result of a page.
	 *
	 * @param repaired the repaired messages
	 * @param next where to continue
	 */
	public record Page(List<Repaired> repaired, Position next) {
	}

	/**
	 * Repairs the messages of one page. A pass, from {@link Position#BEGIN} to its end,
	 * checks every id that exists during the whole pass. Writes nothing if nothing is
	 * wrong.
	 * @param partition the partition
	 * @param position where to begin
	 * @return the repaired messages, and where to continue
	 */
	public Page repair(Partition partition, Position position) {
		Reply misplaced = this.calls.run(StoreScript.FIND_MISPLACED, partition, position.of(), position.cursor(), IDS,
				BYTES);
		List<Repaired> repaired = new ArrayList<>(0);
		int next = 3;
		while (next < misplaced.size()) {
			next += 2 * repair(partition, misplaced, next, repaired);
		}
		return new Page(repaired, new Position(misplaced.text(1), misplaced.text(2)));
	}

	/**
	 * Repairs all dead letters, so that each dead letter of a group also has a member in
	 * {@code groups}. Dead letters of an older release have none.
	 * @param partition the partition
	 * @throws StoreException if Redis does not answer
	 */
	public void repairDead(Partition partition) {
		Position position = DEAD;
		while (position.of().equals(DEAD.of())) {
			position = repair(partition, position).next();
		}
	}

	/** Repairs misplaced ids from an index on; returns how many were processed. */
	private int repair(Partition partition, Reply misplaced, int from, List<Repaired> repaired) {
		int to = Math.min(misplaced.size(), from + 2 * IDS);
		Reply reply = this.calls.run(StoreScript.REPAIR, partition, BYTES, misplaced.rest(from, to));
		for (int i = 2; i < reply.size(); i += 2) {
			repaired.add(new Repaired(reply.word(Damage.class, i), reply.text(i + 1)));
		}
		return (int) reply.number(1);
	}

}
