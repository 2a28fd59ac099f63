package io.delayqueue.record;

import java.time.DateTimeException;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The definition of a recurring schedule, read back: its state, its group and its fields,
 * each of which is a line in Redis. The envelope of its message follows them.
 *
 * @param state the state
 * @param group the group of its occurrences, {@code null} if they have none
 * @param fields the fields
 */
public record RecurringRecord(State state, @Nullable String group, RecurringFields fields) {

	private static final String NONE = "-";

	/**
	 * How far it has come.
	 *
	 * @param generation differs between definitions that were stored under one key
	 * @param storedMicros when it was stored, us since 1970
	 * @param pausedMillis since when it is paused, ms since 1970, 0 if it is not
	 * @param suspendedMillis since when no member declares it, ms since 1970, 0 if one
	 * does
	 * @param last the last instant that has an occurrence, {@code null} if there was none
	 * @param unsettled the instant whose occurrence a call has begun to store or to
	 * remove, {@code null} if it has ended that
	 * @param storing the instant up to which an advance has begun to store occurrences,
	 * {@code null} if it has ended that
	 * @param counts the missed and skipped instants
	 * @param isCarried whether it is being carried to a newer epoch
	 * @param isUnchecked whether other partitions may have older definitions of its key
	 */
	public record State(String generation, long storedMicros, long pausedMillis, long suspendedMillis,
			@Nullable Instant last, @Nullable Instant unsettled, @Nullable Instant storing, Counts counts,
			boolean isCarried, boolean isUnchecked) {

		/**
		 * When it was stored.
		 * @return the instant in whole ms, rounded up
		 */
		public Instant stored() {
			return Instant.ofEpochMilli((this.storedMicros + 999) / 1000);
		}

		/**
		 * Whether it has no occurrences for now.
		 * @return whether it is paused or suspended
		 */
		public boolean isStopped() {
			return this.pausedMillis > 0 || this.suspendedMillis > 0;
		}

	}

	/**
	 * The instants without an occurrence at their time.
	 *
	 * @param missed missed instants
	 * @param skipped skipped instants
	 */
	public record Counts(long missed, long skipped) {
	}

	private static @Nullable Instant last(String word) {
		return word.startsWith(NONE) ? null : Instant.parse(beforeAdvance(word));
	}

	private static @Nullable Instant unsettled(String word) {
		String last = beforeAdvance(word);
		return (last.startsWith(NONE) && !last.equals(NONE)) ? Instant.parse(last.substring(1)) : null;
	}

	private static @Nullable Instant storing(String word) {
		int end = word.indexOf('/');
		return (end >= 0) ? Instant.parse(word.substring(end + 1)) : null;
	}

	/** Without the occurrence that an advance has begun to store. */
	private static String beforeAdvance(String word) {
		return word.split("/", 2)[0];
	}

	/**
	 * Reads a definition.
	 * @param text its lines up to its fields; what follows is ignored
	 * @return the definition
	 * @throws UnreadableRecordException if it has another form
	 */
	public static RecurringRecord from(String text) {
		String[] lines = text.split("\n", 4);
		String[] words = lines[0].split(" ", -1);
		if (lines.length < 3 || words.length != 10 || !words[0].equals("1")) {
			throw new UnreadableRecordException("its recurring schedule has another form", null);
		}
		try {
			State state = new State(words[1], Long.parseLong(words[2]), Long.parseLong(words[3]),
					Long.parseLong(words[4]), last(words[5]), unsettled(words[5]), storing(words[5]),
					new Counts(Long.parseLong(words[6]), Long.parseLong(words[7])), words[9].equals("1"),
					words[9].equals("2"));
			return new RecurringRecord(state, lines[1].isEmpty() ? null : lines[1], RecurringFields.from(lines[2]));
		}
		catch (NumberFormatException | DateTimeException problem) {
			throw new UnreadableRecordException("the state of its recurring schedule is not readable", problem);
		}
	}

}
