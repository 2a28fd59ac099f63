package io.delayqueue.recurring;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

import io.delayqueue.MissedPolicy;
import io.delayqueue.Recurrence;

/**
 * The instants of a recurring schedule that have passed without an occurrence. Instants
 * within the last minute are late, earlier instants are missed. {@link MissedPolicy}
 * decides which of them get an occurrence.
 */
final class PastInstants {

	/**
	 * The time after which an instant without an occurrence counts as missed.
	 */
	static final Duration LATE = Duration.ofMinutes(1);

	private static final int MOST_STORED = 100;

	/**
	 * The maximum number of past instants of a cron expression that are computed one by
	 * one. The instants after these are skipped, except the newest 100 missed instants
	 * and those of the last minute.
	 */
	private static final int MOST_STEPS = 20_000;

	private final Recurrence recurrence;

	private final Instant anchor;

	private final Instant limit;

	private final Deque<Instant> newestMissed = new ArrayDeque<>();

	private final List<Instant> late = new ArrayList<>();

	private long missed;

	/**
	 * Creates an empty list of past instants.
	 * @param recurrence the recurrence that computes the instants
	 * @param anchor the time from which an interval without a begin counts
	 * @param now the time by the clock of Redis
	 */
	PastInstants(Recurrence recurrence, Instant anchor, Instant now) {
		this.recurrence = recurrence;
		this.anchor = anchor;
		this.limit = now.minus(LATE);
	}

	void add(Instant instant) {
		if (!instant.isBefore(this.limit)) {
			this.late.add(instant);
			return;
		}
		this.missed++;
		this.newestMissed.add(instant);
		if (this.newestMissed.size() > MOST_STORED) {
			this.newestMissed.remove();
		}
	}

	/**
	 * Adds all instants of the schedule that are after {@code after} and not after
	 * {@code until}.
	 */
	void addBetween(Instant after, Instant until) {
		Instant at = skip(after);
		int steps = 0;
		Optional<Instant> next = this.recurrence.next(at, this.anchor);
		while (next.isPresent() && !next.get().isAfter(until)) {
			add(next.get());
			at = next.get();
			steps++;
			if (steps == MOST_STEPS) {
				at = newestBefore(at);
			}
			next = this.recurrence.next(at, this.anchor);
		}
	}

	/**
	 * For a schedule with an interval, computes the number of all missed instants except
	 * the latest 100, and adds the number to {@code missed}. Returns the last instant
	 * that was counted in this way; the instants after it are added one by one.
	 */
	private Instant skip(Instant after) {
		Duration every = this.recurrence.every();
		if (every == null) {
			return after;
		}
		Instant next = this.recurrence.next(after, this.anchor).orElse(this.limit);
		Instant until = this.recurrence.until();
		Instant end = (until != null && until.isBefore(this.limit)) ? until : this.limit;
		long passed = Duration.between(next, end).toMillis() / every.toMillis() - MOST_STORED;
		if (passed <= 0) {
			return after;
		}
		this.missed += passed;
		return next.plusMillis((passed - 1) * every.toMillis());
	}

	/**
	 * Returns the latest time, to the second, that is followed by at least 100 missed
	 * instants of a cron expression; {@code at} if at most 100 follow it. The skipped
	 * instants do not count as missed.
	 */
	private Instant newestBefore(Instant at) {
		Instant begin = at;
		Instant end = this.limit;
		while (Duration.between(begin, end).toSeconds() > 1) {
			Instant middle = begin.plus(Duration.between(begin, end).dividedBy(2));
			if (isFollowedByMost(middle)) {
				begin = middle;
			}
			else {
				end = middle;
			}
		}
		return begin;
	}

	/** Whether at least 100 missed instants are after a time. */
	private boolean isFollowedByMost(Instant begin) {
		Instant at = begin;
		for (int n = 0; n < MOST_STORED; n++) {
			Optional<Instant> next = this.recurrence.next(at, this.anchor);
			if (next.isEmpty() || !next.get().isBefore(this.limit)) {
				return false;
			}
			at = next.get();
		}
		return true;
	}

	/**
	 * Returns the number of instants of the schedule that were missed: those before the
	 * last minute, and the late ones that get no occurrence by the given policy. The
	 * number is too low if instants of a cron expression were skipped.
	 */
	long missed(MissedPolicy policy) {
		return this.missed + this.late.size() - storedLate(policy).size();
	}

	/**
	 * Returns the past instants that get an occurrence by the given policy, the earliest
	 * first.
	 */
	List<Instant> toStore(MissedPolicy policy) {
		List<Instant> all = new ArrayList<>();
		if (policy == MissedPolicy.ALL) {
			all.addAll(this.newestMissed);
		}
		else if (policy == MissedPolicy.LATEST && this.late.isEmpty() && !this.newestMissed.isEmpty()) {
			all.add(this.newestMissed.getLast());
		}
		all.addAll(storedLate(policy));
		return all;
	}

	private List<Instant> storedLate(MissedPolicy policy) {
		return (policy == MissedPolicy.ALL) ? this.late
				: this.late.subList(Math.max(0, this.late.size() - 1), this.late.size());
	}

}
