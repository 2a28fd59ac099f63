package io.delayqueue.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.RecurringRecord;
import io.delayqueue.record.UnreadableRecordException;
import org.jspecify.annotations.Nullable;

/**
 * Advances recurring schedules: stores their due occurrences (messages) and their next
 * instants. Each method runs one or more atomic scripts, is safe to repeat, and throws a
 * {@code StoreException} if a call to Redis fails.
 */
public final class RecurringSteps {

	/** The most occurrences (messages) that one call stores. */
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
	 * How to advance one definition: which occurrences to store, and when the definition
	 * is due next.
	 *
	 * @param due the definition as the caller has read it
	 * @param nextMillis the next instant of the definition, ms since 1970,
	 * {@link DueDefinition#NEVER} if none follows: then the definition is removed
	 * @param occurrences the occurrences to store
	 * @param missed the number of instants whose occurrence was not stored in time
	 * @param skipped the number of instants that get no occurrence, because another
	 * occurrence of this step overlaps with them
	 */
	public record Step(DueDefinition due, long nextMillis, List<Occurrence> occurrences, long missed, long skipped) {

		private List<@Nullable Object> arguments() {
			RecurringRecord record = this.due.record();
			List<@Nullable Object> arguments = new ArrayList<>();
			Collections.addAll(arguments, this.due.key(), record.state().generation(), text(this.due.atMillis()),
					text(this.nextMillis), record.fields().overlap().name().toLowerCase(Locale.ROOT), this.missed,
					this.skipped, record.fields().expiry(), this.occurrences.size());
			this.occurrences.forEach((occurrence) -> arguments.addAll(occurrence.arguments()));
			return arguments;
		}

	}

	private static String text(long millis) {
		return (millis == DueDefinition.NEVER) ? RecurringCalls.INFINITE : Long.toString(millis);
	}

	/** What the script has done with a step. The names are those in the script. */
	public enum Progress {

		/** The definition waits for its next instant, or has ended and was removed. */
		ADVANCED,

		/**
		 * The definition waits for its next instant. No occurrence was stored, because
		 * the last occurrence has not ended.
		 */
		SKIPPED,

		/**
		 * Nothing was stored, because the queue or the group of the definition is paused
		 * or held.
		 */
		WAITS,

		/**
		 * Nothing was stored, because another call has advanced or changed the
		 * definition.
		 */
		KNOWN

	}

	/** Whether a partition accepts occurrences. The names are those in the script. */
	public enum State {

		/** The partition accepts occurrences. */
		OPEN,

		/**
		 * The partition is closed: it accepts only messages of groups that already have
		 * messages in it, and a process moves its definitions to newer epochs.
		 */
		CLOSED,

		/** The partition is draining: it accepts no new message. */
		DRAINING

	}

	/**
	 * The definition after which a call begins to read. The call reads the definitions in
	 * the order of their instants, then of their keys.
	 *
	 * @param instant the instant at which the definition was due, as a script argument
	 * @param key the key of the definition
	 */
	public record After(String instant, String key) {

		/** Reads from the first definition. */
		public static final After BEGIN = new After("", "");

	}

	/**
	 * The reply of Redis to a call that advances definitions.
	 *
	 * @param state the state of the partition
	 * @param nowMicros the time of Redis, us since 1970
	 * @param headMillis the due time of a stored occurrence if it is now the first due
	 * message of the partition, ms since 1970; else 0
	 * @param nextMillis the earliest of the next instants of the partition's definitions,
	 * ms since 1970, 0 if there is none
	 * @param isDamaged whether damage has left definitions without a next instant
	 * @param last the last definition that the call read, {@link After#BEGIN} if it read
	 * none
	 * @param isWaiting whether definitions may be due that wait for the end of a pause or
	 * a hold
	 * @param progress what the script has done with each step
	 * @param due the definitions that are due; if the partition is closed, all
	 * definitions
	 * @param unreadable key of a due definition that this version of the library cannot
	 * read -> why it cannot
	 */
	public record Advanced(State state, long nowMicros, long headMillis, long nextMillis, boolean isDamaged, After last,
			boolean isWaiting, List<Progress> progress, List<DueDefinition> due, Map<String, String> unreadable) {
	}

	/**
	 * Advances definitions of a partition, and reads the definitions that are due.
	 * @param partition the partition
	 * @param epochs the epochs of the queue
	 * @param steps how to advance each definition, with at most
	 * {@value #MOST_OCCURRENCES} occurrences in all
	 * @param limit the most definitions to read
	 * @param after the definition after which the call begins to read
	 * @param isReplaced whether the definitions advance because they will be replaced or
	 * removed: then they do not wait for the end of a pause or a hold
	 * @return what the script has done with each step, and the due definitions
	 */
	public Advanced advance(Partition partition, Epochs epochs, List<Step> steps, int limit, After after,
			boolean isReplaced) {
		Reply reply = this.calls.run(StoreScript.ADVANCE_RECURRING, partition, epochs.after(partition.epoch()), limit,
				after.instant(), after.key(), RecurringCalls.WINDOW, isReplaced,
				steps.stream().flatMap((step) -> step.arguments().stream()).toList());
		int first = 9;
		int answers = Math.toIntExact(reply.number(8));
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
				reply.number(4) == 1, new After(reply.text(5), reply.text(6)), reply.number(7) == 1, progress, due,
				unreadable);
	}

	/**
	 * Repairs definitions that have no next instant, because their key was damaged: makes
	 * them due at once.
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
	 * Returns whether a partition has definitions. If there are none, the script removes
	 * the mark that the partition may have recurring schedules.
	 * @param partition the partition
	 * @return whether the partition has definitions
	 */
	public boolean hasDefinitions(Partition partition) {
		return this.calls.run(StoreScript.MEND_RECURRING, partition, "0", 1).number(2) > 0;
	}

	/**
	 * Adds a definition of a script's reply to {@code due} or, if this version of the
	 * library cannot read the definition, to {@code unreadable}. A definition is
	 * unreadable if a newer version or another program wrote it.
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
