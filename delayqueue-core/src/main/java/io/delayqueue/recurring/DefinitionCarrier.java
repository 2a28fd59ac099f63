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
 * partition count of the queue) to the partitions of newer epochs (partition counts).
 * <ol>
 * <li>If the next occurrence of a definition is stored already, before its instant, this
 * occurrence stays in its partition, and the carrier moves the definition when the
 * instant has come. The carrier moves any other definition at once. The library stores no
 * further occurrence in a closed partition before the instant of this occurrence.</li>
 * <li>The definition stays in the closed partition while the partition has messages of
 * the definition's group, or, with {@code OverlapPolicy.SKIP}, while the definition's
 * last occurrence has not ended. Meanwhile the closed partition gets the occurrences of
 * the definition when they are due.</li>
 * <li>A script marks the definition in the closed partition, so that no call changes the
 * definition any more. The carrier then calls the definition's partition in each newer
 * epoch, beginning with the oldest of these epochs, until one partition stores the
 * definition. Then a script removes the definition from the closed partition. If a newer
 * epoch has already received and then removed the definition, the newer epoch does not
 * store the definition again.</li>
 * </ol>
 * Any process may repeat any of these steps.
 */
final class DefinitionCarrier {

	private final RecurringCalls calls;

	DefinitionCarrier(RecurringCalls calls) {
		this.calls = calls;
	}

	/**
	 * A definition that is marked in its closed partition, and moves to a newer epoch
	 * (partition count).
	 */
	record Leaving(DueDefinition due, Carried definition) {
	}

	/**
	 * The definitions of a page of a closed partition.
	 *
	 * @param leaving the definitions that move to newer epochs (partition counts)
	 * @param steps the steps that advance the due definitions that stay, with at most as
	 * many occurrences as one call to Redis stores
	 * @param isComplete whether {@code steps} has a step for each definition that is due
	 * and stays
	 */
	record Result(List<Leaving> leaving, List<Step> steps, boolean isComplete) {
	}

	/**
	 * Marks those definitions of a page that may leave their closed partition now. Calls
	 * only the closed partition.
	 */
	Result mark(Partition from, List<DueDefinition> page, long nowMicros) {
		List<Leaving> leaving = new ArrayList<>();
		List<Step> steps = new ArrayList<>();
		long nowMillis = nowMicros / 1000;
		int occurrences = 0;
		for (DueDefinition due : page) {
			boolean isDue = due.atMillis() <= nowMillis;
			if (due.record().state().isCarried() || isDue || due.atMillis() == DueDefinition.NEVER
					|| !Steps.isStored(due)) {
				Carried definition = this.calls.carry(from, due);
				if (definition != null) {
					leaving.add(new Leaving(due, definition));
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
		return new Result(leaving, steps, occurrences <= RecurringSteps.MOST_OCCURRENCES);
	}

	/**
	 * Makes a call on the definition of a recurring schedule. If the definition is being
	 * moved to a newer epoch (partition count), this method first completes the move,
	 * because the process that has begun the move may have ended.
	 * @param epochs reads the epochs from Redis
	 */
	Answer call(Partition from, String key, Supplier<Epochs> epochs, Supplier<Answer> call) {
		Answer answer = call.get();
		if (answer.changed() == Changed.CARRYING) {
			DueDefinition due = this.calls.find(from, key, false).definition();
			Carried definition = (due != null) ? this.calls.carry(from, due) : null;
			if (due != null && definition != null) {
				move(from, epochs.get(), new Leaving(due, definition));
			}
			answer = call.get();
		}
		if (answer.changed() == Changed.CARRYING) {
			throw new StoreException(FailureKind.NOT_EXECUTED, "Recurring schedule '" + key + "' of partition " + from
					+ " is being moved to a newer epoch (partition count); try again", null);
		}
		return answer;
	}

	/**
	 * Moves a marked definition to the newer epoch in which it belongs.
	 * @return the partition that has received the definition, {@code null} if none has
	 */
	@Nullable Partition move(Partition from, Epochs epochs, Leaving leaving) {
		DueDefinition due = leaving.due();
		for (Epoch epoch : epochs.epochs()) {
			if (epoch.number() > from.epoch() && !epoch.announced()) {
				Partition to = home(due.key(), due.record().group(), from.queue(), epoch);
				if (this.calls.receive(to, epochs, due.key(), leaving.definition())) {
					this.calls.carried(from, due);
					return to;
				}
			}
		}
		return null;
	}

	/**
	 * Returns the partition to which the definition of a recurring schedule belongs in an
	 * epoch (partition count).
	 */
	static Partition home(String key, @Nullable String group, String queue, Epoch epoch) {
		return new Partition(queue, epoch.number(), Partitioner.of(key, group, epoch.partitions()));
	}

}
