package io.delayqueue.recurring;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.RecurringCalls;
import io.delayqueue.store.RecurringSteps;
import io.delayqueue.store.RecurringCalls.Answer;
import io.delayqueue.store.RecurringCalls.Carried;
import io.delayqueue.store.RecurringCalls.Changed;
import io.delayqueue.store.DueDefinition;
import io.delayqueue.store.RecurringSteps.Step;
import org.jspecify.annotations.Nullable;

/**
 * Moves definitions of recurring schedules from a closed partition (of an earlier
 * partition count) to the partitions of newer epochs.
 * <ol>
 * <li>An occurrence that is stored before its instant stays in its partition, and its
 * definition is moved when the instant has come; any other definition is moved at once.
 * No occurrence is stored before its instant in a closed partition.</li>
 * <li>While the partition has a record of the definition's group, or the last occurrence
 * must end first, the definition stays, and its occurrences are stored there when they
 * are due.</li>
 * <li>The script marks the definition, so that no call changes it any more. The newer
 * epochs are called in their order, as for any message, until one stores the definition;
 * then the closed partition removes it. A definition that a newer epoch has received and
 * removed since is not stored again.</li>
 * </ol>
 * Each step may be repeated by any process.
 */
final class DefinitionCarrier {

	private final RecurringCalls calls;

	DefinitionCarrier(RecurringCalls calls) {
		this.calls = calls;
	}

	/**
	 * The outcome for the definitions of a page.
	 *
	 * @param carried the partitions that have received definitions
	 * @param steps the steps that advance the definitions that stay, as many as one call
	 * may have
	 * @param isComplete whether each due definition that stays has a step
	 */
	record Result(List<Partition> carried, List<Step> steps, boolean isComplete) {
	}

	/** Moves those definitions of a page that may be moved now. */
	Result carry(Partition from, Epochs epochs, List<DueDefinition> page, long nowMicros) {
		List<Partition> carried = new ArrayList<>();
		List<Step> steps = new ArrayList<>();
		long nowMillis = nowMicros / 1000;
		int occurrences = 0;
		for (DueDefinition due : page) {
			boolean isDue = due.atMillis() <= nowMillis;
			if (due.record().state().isCarried() || isDue || due.atMillis() == DueDefinition.NEVER
					|| !Steps.isStored(due)) {
				Carried definition = this.calls.carry(from, due);
				if (definition != null) {
					receive(from, epochs, due, definition, carried);
				}
				else if (isDue && occurrences <= RecurringSteps.MOST_OCCURRENCES) {
					Step step = Steps.of(due, nowMicros, false);
					occurrences += step.occurrences().size();
					if (occurrences <= RecurringSteps.MOST_OCCURRENCES) {
						steps.add(step);
					}
				}
			}
		}
		return new Result(carried, steps, occurrences <= RecurringSteps.MOST_OCCURRENCES);
	}

	/**
	 * Makes a call on a definition. If the definition is being moved to a newer epoch,
	 * this method first completes the move, because the process that has begun it may
	 * have ended.
	 * @param epochs reads the epochs
	 */
	Answer call(Partition from, String key, Supplier<Epochs> epochs, Supplier<Answer> call) {
		Answer answer = call.get();
		if (answer.changed() == Changed.CARRYING) {
			DueDefinition due = this.calls.find(from, key, false).definition();
			Carried definition = (due != null) ? this.calls.carry(from, due) : null;
			if (due != null && definition != null) {
				receive(from, epochs.get(), due, definition, new ArrayList<>());
			}
			answer = call.get();
		}
		if (answer.changed() == Changed.CARRYING) {
			throw new StoreException(FailureKind.NOT_EXECUTED, "Recurring schedule '" + key + "' of partition " + from
					+ " is being moved to a newer epoch (partition count), try again", null);
		}
		return answer;
	}

	private void receive(Partition from, Epochs epochs, DueDefinition due, Carried definition,
			List<Partition> carried) {
		for (Epoch epoch : epochs.epochs()) {
			if (epoch.number() > from.epoch() && !epoch.announced()) {
				Partition to = home(due.key(), due.record().group(), from.queue(), epoch);
				if (this.calls.receive(to, epochs, due.key(), definition)) {
					this.calls.carried(from, due);
					carried.add(to);
					return;
				}
			}
		}
	}

	/** Returns the partition of a definition in one epoch. */
	static Partition home(String key, @Nullable String group, String queue, Epoch epoch) {
		return new Partition(queue, epoch.number(), Partitioner.of(key, group, epoch.partitions()));
	}

}
