package io.delayqueue.store;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;

/**
 * Finds and repairs damage that does not come from this library: keys that were deleted,
 * renamed or evicted, a consumer group that was destroyed, or a consumer that was deleted
 * with its pending messages. Each method is safe to repeat at any time, and by several
 * processes at once. A method throws {@link StoreException} if a call to Redis fails. One
 * script checks about 100 ids.
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
	 * The counts of a partition's records, states and stream entries, all as of one
	 * moment.
	 *
	 * @param messages number of records
	 * @param scheduled number of scheduled messages, due or not
	 * @param dead number of dead letters
	 * @param entries number of messages that are ready or pending
	 * @param ready number of entries in the stream
	 * @param stranded number of stream entries that no consumer will ever get, as far as
	 * the script can determine
	 * @param consumers number of consumers in the consumer group
	 * @param parked number of due messages that wait because their group is at its limit
	 * @param remembers whether the partition has or had a history of ended messages
	 * @param hasRecurring whether the partition has had recurring schedules
	 * @param buckets number of groups with a token bucket
	 */
	public record Counts(long messages, long scheduled, long dead, long entries, long ready, long stranded,
			long consumers, long parked, boolean remembers, boolean hasRecurring, long buckets) {

		/**
		 * Computes the differences between counts that must be equal.
		 * @return the differences; each is 0 if there is no damage
		 */
		public Mismatch mismatch() {
			return new Mismatch(this.messages - this.scheduled - this.parked - this.dead - this.entries,
					Math.max(0, this.entries - this.ready), this.stranded);
		}

	}

	/**
	 * The differences between counts of a partition that must be equal. A number other
	 * than 0 means damage, or that a script stopped half-way. In the second case, a
	 * settlement or a reclaim completes the work of the script.
	 *
	 * @param withoutPlace number of records that are in none of the states (such as
	 * scheduled or dead); negative if ids have no record, or one record is in several
	 * states
	 * @param withoutEntry number of ready or pending messages whose entry is not in the
	 * stream
	 * @param stranded number of stream entries that no consumer will ever get
	 */
	public record Mismatch(long withoutPlace, long withoutEntry, long stranded) {

		/**
		 * Whether the counts show no damage.
		 * @return {@code true} if each difference is 0
		 */
		public boolean isNone() {
			return this.withoutPlace == 0 && this.withoutEntry == 0 && this.stranded == 0;
		}

	}

	/**
	 * Counts records, states and stream entries of a partition. Writes nothing.
	 * @param partition the partition
	 * @return the counts
	 */
	public Counts audit(Partition partition) {
		Reply reply = this.calls.run(StoreScript.AUDIT, partition);
		return new Counts(reply.number(1), reply.number(2), reply.number(3), reply.number(4), reply.number(5),
				reply.number(6), reply.number(7), reply.number(8), !reply.text(9).isEmpty(), reply.number(10) == 1,
				reply.number(11));
	}

	/** What was wrong with a message, and how the repair has changed it. */
	public enum Damage {

		/**
		 * The message was in none of the states (such as scheduled or dead). The repair
		 * has scheduled it.
		 */
		NO_PLACE,

		/**
		 * The message was in two states, such as scheduled and dead. The repair has
		 * removed it from one of them.
		 */
		TWO_PLACES,

		/**
		 * The message was scheduled for a time before its due time. The repair has
		 * scheduled it for its due time.
		 */
		EARLY,

		/** Keys had obsolete data of the message, which the repair has removed. */
		LEFT_OVER,

		/**
		 * The record of the message was missing. The message is lost, and the repair has
		 * removed its other data.
		 */
		LOST

	}

	/**
	 * A message that the repair has changed.
	 *
	 * @param damage what was wrong with the message
	 * @param id the message's id and group
	 */
	public record Repaired(Damage damage, StoredId id) {
	}

	/**
	 * A position in a scan of all ids of a partition, which reads one key after the
	 * other.
	 *
	 * @param of the name of the key to scan next
	 * @param cursor the cursor of the scan in this key
	 */
	public record Position(String of, String cursor) {

		/** The position at which a scan of all ids begins. */
		public static final Position BEGIN = new Position("messages", "0");

		private static final Pattern FORM = Pattern
			.compile("(?<of>messages|scheduled|ready|dead|entries|failures|expiries"
					+ "|grouped|groups|active|parked)\\.(?<cursor>\\d{1,20}|\\((?<ms>\\d{1,20})-(?<number>\\d{1,20}))");

		/**
		 * Reads a position from text that a caller has kept.
		 * @param text the {@link #toString} of a position
		 * @return the position
		 * @throws IllegalArgumentException if the text is not that of a position
		 */
		public static Position parse(String text) {
			Matcher parts = FORM.matcher(text);
			boolean fits = parts.matches()
					&& ((parts.group("ms") != null) ? parts.group("of").equals("ready") && isNumber(parts.group("ms"))
							&& isNumber(parts.group("number")) : isNumber(parts.group("cursor")));
			if (!fits) {
				throw new IllegalArgumentException("The cursor is not a position in the ids of a partition");
			}
			return new Position(parts.group("of"), parts.group("cursor"));
		}

		/** Whether digits fit in 64 bits, because Redis rejects larger cursors. */
		private static boolean isNumber(String digits) {
			return new BigInteger(digits).bitLength() <= Long.SIZE;
		}

		/**
		 * Whether the scan of all ids is complete.
		 * @return {@code true} if there is no next page
		 */
		public boolean isEnd() {
			return this.of.isEmpty();
		}

		/** Returns the position as text, which {@link #parse} reads. */
		@Override
		public String toString() {
			return this.of + "." + this.cursor;
		}

	}

	/**
	 * The result of the repair of one page of ids.
	 *
	 * @param repaired the repaired messages
	 * @param next the position at which the next page begins
	 */
	public record Page(List<Repaired> repaired, Position next) {
	}

	/**
	 * Checks one page of a partition's ids, and repairs damaged messages. All pages
	 * together contain every id that exists during the whole scan. Writes nothing if
	 * nothing is damaged.
	 * @param partition the partition
	 * @param position the position at which to begin
	 * @return the repaired messages, and the position at which the next page begins
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
	 * Repairs all dead letters of a partition, so that each dead letter with a group has
	 * a member in the key {@code groups}. Older releases stored dead letters without such
	 * a member.
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
	 * Repairs the next misplaced ids of a script's reply, beginning at an index of the
	 * reply. Returns how many ids the repair has processed.
	 */
	private int repair(Partition partition, Reply misplaced, int from, List<Repaired> repaired) {
		int to = Math.min(misplaced.size(), from + 2 * IDS);
		Reply reply = this.calls.run(StoreScript.REPAIR, partition, BYTES, misplaced.rest(from, to));
		for (int i = 2; i < reply.size(); i += 2) {
			repaired.add(new Repaired(reply.word(Damage.class, i), reply.id(i + 1)));
		}
		return (int) reply.number(1);
	}

}
