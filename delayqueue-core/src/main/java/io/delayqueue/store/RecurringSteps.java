package io.delayqueue.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.RecurringRecord;
import io.delayqueue.record.UnreadableRecordException;
import org.jspecify.annotations.Nullable;

/**
 * Advances recurring schedules: stores occurrences and the next instant. Each method runs
 * one or more atomic scripts, each safe to repeat, and throws a {@code StoreException}.
 */
public final class RecurringSteps {

	/** The most occurrences of one call. */
	public static final int MOST_OCCURRENCES = 1000;

	private final RedisCalls calls;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public RecurringSteps(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * How to advance one definition.
	 *
	 * @param due the definition as it was read
	 * @param nextMillis its next instant, ms since 1970, {@link DueDefinition#NEVER} if
	 * none follows: then the definition is removed
	 * @param occurrences the occurrences to store
	 * @param missed the number of instants whose occurrence was not stored in time
	 * @param skipped the number of instants without an occurrence, because an occurrence
	 * of this call overlaps with them
	 */
	public record Step(DueDefinition due, long nextMillis, List<Occurrence> occurrences, long missed, long skipped) {

		private List<@Nullable Object> arguments() {
			RecurringRecord record = this.due.record();
			List<@Nullable Object> arguments = new ArrayList<>();
			Collections.addAll(arguments, this.due.key(), record.state().generation(), text(this.due.atMillis()),
					text(this.nextMillis), Occurrence.isAhead(record.fields()) ? "allow" : "skip", this.missed,
					this.skipped, record.fields().expiry(), this.occurrences.size());
			this.occurrences.forEach((occurrence) -> arguments.addAll(occurrence.arguments()));
			return arguments;
		}

	}

	private static String text(long millis) {
		return (millis == DueDefinition.NEVER) ? RecurringCalls.INFINITE : Long.toString(millis);
	}

	/** The outcome of a step, named as in the script. */
	public enum Progress {

		/** The definition waits for its next instant, or has ended and is removed. */
		ADVANCED,

		/**
		 * As {@link #ADVANCED}, without an occurrence, because the last one has not
		 * ended.
		 */
		SKIPPED,

		/** Nothing was stored: another call has advanced or changed the definition. */
		KNOWN

	}

	/** Whether a partition accepts occurrences, named as in the script. */
	public enum State {

		/** The partition accepts occurrences. */
		OPEN,

		/**
		 * The partition accepts only groups that it has; definitions move to newer
		 * epochs.
		 */
		CLOSED,

		/** The partition accepts no new message. */
		DRAINING

	}

	/**
	 * The definition after which to read, in the order of instants and then of keys.
	 *
	 * @param instant the instant at which it was due, as a script argument
	 * @param key its key
	 */
	public record After(String instant, String key) {

		/** Reads from the first definition. */
		public static final After BEGIN = new After("", "");

	}

	/**
	 * The answer to an advance.
	 *
	 * @param state the state of the partition
	 * @param nowMicros the time of Redis, us since 1970
	 * @param headMillis the due time of a stored occurrence that is now the first one
	 * due, else 0
	 * @param nextMillis the next instant of a definition, ms since 1970, 0 if there is
	 * none
	 * @param isDamaged whether definitions have no next instant
	 * @param last the last definition that was read, {@link After#BEGIN} if none was
	 * @param progress the outcome of each step
	 * @param due definitions that are due; in a closed partition all definitions
	 * @param unreadable key of an unreadable due definition -> why
	 */
	public record Advanced(State state, long nowMicros, long headMillis, long nextMillis, boolean isDamaged, After last,
			List<Progress> progress, List<DueDefinition> due, Map<String, String> unreadable) {
	}

	/**
	 * Advances definitions, and reads those that are due.
	 * @param partition the partition
	 * @param epochs the epochs of the queue
	 * @param steps the steps, with at most {@value #MOST_OCCURRENCES} occurrences in all
	 * @param limit the most definitions to read
	 * @param after the definition after which to read
	 * @return the answer
	 */
	public Advanced advance(Partition partition, Epochs epochs, List<Step> steps, int limit, After after) {
		Reply reply = this.calls.run(StoreScript.ADVANCE_RECURRING, partition, epochs.after(partition.epoch()), limit,
				after.instant(), after.key(), RecurringCalls.WINDOW,
				steps.stream().flatMap((step) -> step.arguments().stream()).toList());
		int first = 8;
		int answers = Math.toIntExact(reply.number(7));
		List<Progress> progress = new ArrayList<>();
		for (int i = 0; i < answers; i++) {
			progress.add(reply.word(Progress.class, first + i));
		}
		List<DueDefinition> due = new ArrayList<>();
		Map<String, String> unreadable = new LinkedHashMap<>();
		for (int i = first + answers; i < reply.size(); i += 3) {
			add(due, unreadable, reply, i);
		}
		return new Advanced(reply.word(State.class, 0), reply.number(1), reply.number(2), reply.number(3),
				reply.number(4) == 1, new After(reply.text(5), reply.text(6)), progress, due, unreadable);
	}

	/**
	 * Makes definitions due at once that have no next instant.
	 * @param partition the partition
	 * @return the number of definitions that were made due
	 */
	public long mend(Partition partition) {
		long mended = 0;
		String cursor = "0";
		do {
			Reply reply = this.calls.run(StoreScript.MEND_RECURRING, partition, cursor, MOST_OCCURRENCES);
			cursor = reply.text(0);
			mended += reply.number(1);
		}
		while (!cursor.equals("0"));
		return mended;
	}

	/**
	 * Returns whether a partition has definitions. If it has none, the partition's mark
	 * is removed.
	 * @param partition the partition
	 * @return whether it has definitions
	 */
	public boolean hasDefinitions(Partition partition) {
		return this.calls.run(StoreScript.MEND_RECURRING, partition, "0", 1).number(2) > 0;
	}

	/**
	 * Adds a definition of a reply, unreadable if another version or program wrote it.
	 */
	static void add(List<DueDefinition> due, Map<String, String> unreadable, Reply reply, int index) {
		try {
			due.add(DueDefinition.of(reply.text(index), reply, index + 1));
		}
		catch (UnreadableRecordException problem) {
			unreadable.put(reply.text(index), String.valueOf(problem.getMessage()));
		}
	}

}
