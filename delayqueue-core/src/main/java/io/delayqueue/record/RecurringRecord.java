package io.delayqueue.record;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * The definition of a recurring schedule, as read from Redis: its state, its group and
 * its fields, each on a line. In Redis the envelope of the schedule's message follows
 * these lines.
 *
 * @param state the state
 * @param group the group of the schedule's occurrences (messages), {@code null} if the
 * occurrences have no group
 * @param fields the fields
 */
public record RecurringRecord(State state, @Nullable String group, RecurringFields fields) {

	private static final String NONE = "-";

	/**
	 * The state of a definition: which occurrences are stored, and whether the schedule
	 * is stopped.
	 *
	 * @param generation the id of this version of the definition, different for each
	 * version that was stored under its key
	 * @param storedMicros when the definition was stored, us since 1970
	 * @param pausedMillis when an operator paused the schedule, ms since 1970; 0 if the
	 * schedule is not paused
	 * @param suspendedMillis since when no member declares the schedule, ms since 1970; 0
	 * if a member declares it
	 * @param last the last instant for which an occurrence was stored, {@code null} if no
	 * occurrence has been stored
	 * @param unsettled the instant whose occurrence a call has begun to store or to
	 * remove, {@code null} if the call has completed
	 * @param storing the instant up to which a process has begun to store occurrences,
	 * {@code null} if the process has stored all of them
	 * @param counts the numbers of missed and skipped instants
	 * @param isCarried whether a process is moving the definition to a newer epoch
	 * (partition count)
	 * @param isUnchecked whether other partitions may have older definitions with the
	 * same key
	 * @param anchorMicros the time from which an interval without a begin counts: when
	 * the schedule was first stored with this interval, us since 1970
	 */
	public record State(String generation, long storedMicros, long pausedMillis, long suspendedMillis,
			@Nullable Instant last, @Nullable Instant unsettled, @Nullable Instant storing, Counts counts,
			boolean isCarried, boolean isUnchecked, long anchorMicros) {

		/**
		 * Returns when the definition was stored.
		 * @return the instant in whole ms, rounded up
		 */
		public Instant stored() {
			return millis(this.storedMicros);
		}

		/**
		 * Returns the time from which an interval without a begin counts.
		 * @return the instant in whole ms, rounded up
		 */
		public Instant anchor() {
			return millis(this.anchorMicros);
		}

		private static Instant millis(long micros) {
			return Instant.ofEpochMilli((micros + 999) / 1000);
		}

		/**
		 * Whether the library stores no occurrences of the schedule at the moment.
		 * @return {@code true} if the schedule is paused or suspended
		 */
		public boolean isStopped() {
			return this.pausedMillis > 0 || this.suspendedMillis > 0;
		}

	}

	/**
	 * The numbers of instants for which no occurrence was stored at their time.
	 *
	 * @param missed the number of instants whose occurrence was not stored in time
	 * @param skipped the number of instants that were skipped because the previous
	 * occurrence had not ended
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

	/**
	 * Returns the part of the stored last instant before the '/'. The part behind the '/'
	 * is the instant up to which a process has begun to store occurrences.
	 */
	private static String beforeAdvance(String word) {
		return word.split("/", 2)[0];
	}

	/**
	 * Returns the envelope of the schedule's message, which follows the lines of its
	 * definition.
	 * @param definition the bytes of a definition in Redis
	 * @return the envelope
	 */
	public static byte[] envelope(byte[] definition) {
		int lines = 0;
		int at = 0;
		while (lines < 3) {
			lines += (definition[at++] == '\n') ? 1 : 0;
		}
		return Arrays.copyOfRange(definition, at, definition.length);
	}

	/**
	 * Reads the definition of a recurring schedule.
	 * @param text the lines of the definition, at least up to its fields
	 * @return the definition
	 * @throws UnreadableRecordException if the text has another form
	 */
	public static RecurringRecord from(String text) {
		String[] lines = text.split("\n", 4);
		String[] words = lines[0].split(" ", -1);
		if (lines.length < 3 || words.length != 11 || !words[0].equals("1")) {
			throw new UnreadableRecordException("the recurring schedule is stored in an unknown form", null);
		}
		try {
			State state = new State(words[1], Long.parseLong(words[2]), Long.parseLong(words[3]),
					Long.parseLong(words[4]), last(words[5]), unsettled(words[5]), storing(words[5]),
					new Counts(Long.parseLong(words[6]), Long.parseLong(words[7])), words[9].equals("1"),
					words[9].equals("2"), Long.parseLong(words[10]));
			return new RecurringRecord(state, lines[1].isEmpty() ? null : lines[1], RecurringFields.from(lines[2]));
		}
		catch (NumberFormatException | DateTimeException problem) {
			throw new UnreadableRecordException("the state of the recurring schedule is not valid", problem);
		}
	}

}
