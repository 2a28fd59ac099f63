package io.delayqueue.recurring;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.delayqueue.OverlapPolicy;
import io.delayqueue.Recurrence;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.record.RecurringRecord;
import io.delayqueue.store.DueDefinition;
import io.delayqueue.store.Occurrence;
import io.delayqueue.store.RecurringSteps;
import io.delayqueue.store.RecurringSteps.Step;

/**
 * Computes how the definition of a recurring schedule advances. The result depends only
 * on the stored definition and the clock of Redis, so that two processes compute the same
 * step.
 */
final class Steps {

	private Steps() {
	}

	/**
	 * Returns whether the occurrence for the current instant of a definition is stored
	 * already.
	 */
	static boolean isStored(DueDefinition due) {
		Instant last = due.record().state().last();
		return last != null && last.toEpochMilli() == due.atMillis();
	}

	/**
	 * Computes the next step of a recurring schedule: the occurrences to store, and the
	 * next instant.
	 * @param due a definition that is due
	 * @param nowMicros the time by the clock of Redis, us since 1970
	 * @param isOpen {@code true} to store the next occurrence before its instant,
	 * {@code false} for a closed partition, where occurrences are stored when they are
	 * due
	 * @return the step
	 */
	static Step of(DueDefinition due, long nowMicros, boolean isOpen) {
		RecurringRecord record = due.record();
		RecurringFields fields = record.fields();
		Recurrence recurrence = fields.recurrence();
		Instant stored = record.state().stored();
		Instant anchor = record.state().anchor();
		Instant now = Instant.ofEpochMilli(nowMicros / 1000);
		PastInstants past = new PastInstants(recurrence, anchor, now);
		boolean isKnown = due.atMillis() > 0;
		Instant from = isKnown ? Instant.ofEpochMilli(due.atMillis()) : assumed(record.state());
		if (!isKnown && from.isAfter(now) && from.isAfter(stored)) {
			return new Step(due, from.toEpochMilli(), List.of(), 0, 0);
		}
		if (isKnown ? !isStored(due) : from.equals(record.state().unsettled())) {
			past.add(from);
		}
		past.addBetween(from, now);
		List<Instant> instants = past.toStore(fields.missed());
		Optional<Instant> next = recurrence.next(from.isAfter(now) ? from : now, anchor);
		long skipped = 0;
		if (fields.overlap() == OverlapPolicy.SKIP && instants.size() > 1) {
			skipped = instants.size() - 1L;
			instants = instants.subList(instants.size() - 1, instants.size());
		}
		List<Occurrence> occurrences = new ArrayList<>();
		instants.forEach((instant) -> occurrences.add(Occurrence.of(record.state().generation(), instant)));
		if (Occurrence.isAhead(fields) && isOpen) {
			next.ifPresent((instant) -> occurrences.add(Occurrence.of(record.state().generation(), instant)));
		}
		return new Step(due, next.map(Instant::toEpochMilli).orElse(DueDefinition.NEVER), occurrences,
				past.missed(fields.missed()), skipped);
	}

	/**
	 * Computes how definitions advance, for at most as many occurrences as one call to
	 * Redis may store.
	 */
	static List<Step> of(List<DueDefinition> all, long nowMicros) {
		List<Step> steps = new ArrayList<>();
		int occurrences = 0;
		for (DueDefinition due : all) {
			Step step = of(due, nowMicros, true);
			occurrences += step.occurrences().size();
			if (occurrences > RecurringSteps.MOST_OCCURRENCES) {
				break;
			}
			steps.add(step);
		}
		return steps;
	}

	/**
	 * Returns the instant at which a definition continues if its next instant is missing
	 * in Redis. This is the instant of the occurrence that a call was storing or
	 * removing; if there is none, the instant of the occurrence that was stored last. The
	 * result is never before the time at which the definition was stored.
	 */
	private static Instant assumed(RecurringRecord.State state) {
		Instant last = (state.unsettled() != null) ? state.unsettled() : state.last();
		return (last != null && last.isAfter(state.stored())) ? last : state.stored();
	}

}
