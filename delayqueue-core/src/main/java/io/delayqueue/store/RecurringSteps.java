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
 * Advances the definitions of recurring schedules of a partition. Each method is one
 * atomic script, or several of which each is safe to repeat, and throws a
 * {@code StoreException}.
 */
public final class RecurringSteps {

	/** The most occurrences of one call. */
	public static final int MOST_OCCURRENCES = 1000;

	private final RedisCalls calls;

	/**
	 * Creates the calls.
	 * @param calls the way to Redis
	 */
	public RecurringSteps(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * How a definition advances.
	 *
	 * @param due the definition as it was read
	 * @param nextMillis its next instant, ms since 1970, {@link DueDefinition#NEVER} if
	 * none follows
	 * @param occurrences the occurrences to store
	 * @param missed how many instants were missed
	 * @param skipped how many instants have no occurrence, because one of the same call
	 * overlaps with them
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

	/** What has become of a step, named as in the script. */
	public enum Progress {

		/** The definition is due at its next instant. */
		ADVANCED,

		/** The same, without an occurrence: the last one has not ended. */
		SKIPPED,

		/** Another call has advanced or changed it. */
		KNOWN

	}

	/** Whether a partition takes occurrences, named as in the script. */
	public enum State {

		/** It does. */
		OPEN,

		/** Only for groups that it has; definitions are carried to newer epochs. */
		CLOSED,

		/** It accepts nothing new. */
		DRAINING

	}

	/**
	 * The answer to an advance.
	 *
	 * @param state the state of the partition
	 * @param nowMicros the time of Redis
	 * @param headMillis the due time of the occurrence that is the first one due now, 0
	 * if there is none
	 * @param nextMillis the first instant to come, ms since 1970, 0 if there is none
	 * @param isDamaged whether definitions have no instant
	 * @param progress one for each step
	 * @param due definitions that are due; in a closed partition all definitions
	 * @param unreadable why further ones of them cannot be read, by their keys
	 */
	public record Advanced(State state, long nowMicros, long headMillis, long nextMillis, boolean isDamaged,
			List<Progress> progress, List<DueDefinition> due, Map<String, String> unreadable) {
	}

	/**
	 * Advances definitions, and reads those that are due.
	 * @param partition the partition
	 * @param epochs the epochs of the queue
	 * @param steps with at most {@value #MOST_OCCURRENCES} occurrences together
	 * @param limit the most definitions to read
	 * @param offset how many definitions to pass over
	 * @return the answer
	 */
	public Advanced advance(Partition partition, Epochs epochs, List<Step> steps, int limit, int offset) {
		Reply reply = this.calls.run(StoreScript.ADVANCE_RECURRING, partition, epochs.after(partition.epoch()), limit,
				offset, steps.stream().flatMap((step) -> step.arguments().stream()).toList());
		int first = 6;
		int answers = Math.toIntExact(reply.number(5));
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
				reply.number(4) == 1, progress, due, unreadable);
	}

	/**
	 * Makes definitions due that have no instant.
	 * @param partition the partition
	 * @return how many
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
	 * Whether a partition has definitions. If it has none, it is not marked any more.
	 * @param partition the partition
	 * @return whether it has definitions
	 */
	public boolean hasDefinitions(Partition partition) {
		return this.calls.run(StoreScript.MEND_RECURRING, partition, "0", 1).number(2) > 0;
	}

	/** Another version, or another program, may have written a definition. */
	static void add(List<DueDefinition> due, Map<String, String> unreadable, Reply reply, int index) {
		try {
			due.add(DueDefinition.of(reply.text(index), reply, index + 1));
		}
		catch (UnreadableRecordException problem) {
			unreadable.put(reply.text(index), String.valueOf(problem.getMessage()));
		}
	}

}
