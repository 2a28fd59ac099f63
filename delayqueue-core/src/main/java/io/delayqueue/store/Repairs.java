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
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public Repairs(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * The counts of a partition's messages, all of one instant.
	 *
	 * @param messages number of records
	 * @param scheduled number of scheduled ids, due or not
	 * @param dead number of dead letters
	 * @param entries number of ids that are ready or pending
	 * @param ready number of entries in the stream
	 * @param stranded number of entries in the stream that no consumer will get, as far
	 * as the script can determine
	 * @param consumers number of consumers in the consumer group
	 * @param parked number of due ids that wait because their group is full
	 * @param remembers whether the partition has or had a history of ended messages
	 * @param hasRecurring whether the partition has had recurring schedules
	 */
	public record Counts(long messages, long scheduled, long dead, long entries, long ready, long stranded,
			long consumers, long parked, boolean remembers, boolean hasRecurring) {

		/**
		 * Computes the differences between counts that must agree.
		 * @return the differences, each 0 if the records, states and stream entries agree
		 */
		public Mismatch mismatch() {
			return new Mismatch(this.messages - this.scheduled - this.parked - this.dead - this.entries,
					Math.max(0, this.entries - this.ready), this.stranded);
		}

	}

	/**
	 * The differences between the counts of a partition. A number other than 0 means
	 * damage, or that a script stopped half-way; then a settlement or a reclaim completes
	 * its work.
	 *
	 * @param withoutPlace number of records in no state; negative if ids have no record,
	 * or one record is in several states
	 * @param withoutEntry number of messages whose entry is not in the stream
	 * @param stranded number of stream entries that no consumer will get
	 */
	public record Mismatch(long withoutPlace, long withoutEntry, long stranded) {

		/**
		 * Whether the counts agree.
		 * @return {@code true} if each difference is 0
		 */
		public boolean isNone() {
			return this.withoutPlace == 0 && this.withoutEntry == 0 && this.stranded == 0;
		}

	}

	/**
	 * Counts records, states and stream entries. Writes nothing.
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

		/**
		 * The message was scheduled too early; the repair scheduled it for its due time.
		 */
		EARLY,

		/** Keys held obsolete data of the message; the repair removed these data. */
		LEFT_OVER,

		/** The record of the message was missing; the message cannot be delivered. */
		LOST

	}

	/**
	 * A repaired message.
	 *
	 * @param damage what was wrong with the message
	 * @param id the message's id
	 */
	public record Repaired(Damage damage, String id) {
	}

	/**
	 * The position of a pass over all ids of a partition.
	 *
	 * @param of the name of the key that is scanned
	 * @param cursor the cursor of the scan
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
		 * @throws IllegalArgumentException if the text has another form
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
		 * Whether the pass over the ids is over.
		 * @return {@code true} if there is no next page
		 */
		public boolean isEnd() {
			return this.of.isEmpty();
		}

		/** Returns the position as text, for a later call. */
		@Override
		public String toString() {
			return this.of + "." + this.cursor;
		}

	}

	/**
	 * The result of the repair of one page of ids.
	 *
	 * @param repaired the repaired messages
	 * @param next where the next page begins
	 */
	public record Page(List<Repaired> repaired, Position next) {
	}

	/**
	 * Checks one page of ids, and repairs damaged messages. A pass over all pages checks
	 * every id that exists during the whole pass. Writes nothing if nothing is damaged.
	 * @param partition the partition
	 * @param position where to begin
	 * @return the repaired messages, and where the next page begins
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
	 * {@code groups}. Dead letters that an older release has stored have none.
	 * @param partition the partition
	 * @throws StoreException if Redis does not answer
	 */
	public void repairDead(Partition partition) {
		Position position = DEAD;
		while (position.of().equals(DEAD.of())) {
			position = repair(partition, position).next();
		}
	}

	/**
	 * Repairs misplaced ids of a reply, from an index on; returns how many ids were
	 * processed.
	 */
	private int repair(Partition partition, Reply misplaced, int from, List<Repaired> repaired) {
		int to = Math.min(misplaced.size(), from + 2 * IDS);
		Reply reply = this.calls.run(StoreScript.REPAIR, partition, BYTES, misplaced.rest(from, to));
		for (int i = 2; i < reply.size(); i += 2) {
			repaired.add(new Repaired(reply.word(Damage.class, i), reply.text(i + 1)));
		}
		return (int) reply.number(1);
	}

}
