package io.delayqueue.test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import io.delayqueue.RecurringSnapshot;

/**
 * Estimates how many occurrences of recurring schedules become due during an advance of
 * the time.
 */
final class ManyOccurrences {

	static final int MANY = 10_000;

	private ManyOccurrences() {
	}

	/**
	 * Describes the schedules with more than {@value #MANY} occurrences during the
	 * advance.
	 * @param schedules the recurring schedules for which the advance waits
	 * @param from the time before the advance
	 * @param to the time after the advance
	 * @return key, queue and number of each such schedule; empty if there is none
	 */
	static String of(List<RecurringSnapshot> schedules, Instant from, Instant to) {
		return schedules.stream()
			.map((schedule) -> describe(schedule, count(schedule, from, to)))
			.flatMap(Optional::stream)
			.collect(Collectors.joining(", "));
	}

	private static Optional<String> describe(RecurringSnapshot schedule, long count) {
		return (count > MANY)
				? Optional.of("about %d of '%s' in queue '%s'".formatted(count, schedule.key(), schedule.queue()))
				: Optional.empty();
	}

	/**
	 * Counts the first instants, and estimates the number of all instants from the
	 * average interval between the counted instants.
	 */
	private static long count(RecurringSnapshot schedule, Instant from, Instant to) {
		Instant until = schedule.recurrence().until();
		Instant end = (until != null && until.isBefore(to)) ? until : to;
		// A schedule has at most one instant each second
		if (schedule.next().isEmpty() || Duration.between(from, end).toSeconds() <= MANY) {
			return 0;
		}
		Instant at = from;
		for (int n = 0; n < MANY; n++) {
			Optional<Instant> next = schedule.recurrence().next(at, schedule.state().storedAt());
			if (next.isEmpty() || next.get().isAfter(end)) {
				return n;
			}
			at = next.get();
		}
		return MANY * Duration.between(from, end).toMillis() / Math.max(1, Duration.between(from, at).toMillis());
	}

}
