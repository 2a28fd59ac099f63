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
 * within the last minute are late and still get an occurrence; earlier instants are
 * missed, and {@link MissedPolicy} decides.
 */
final class PastInstants {

	/** How late an occurrence may be stored without its instant counting as missed. */
	static final Duration LATE = Duration.ofMinutes(1);

	private static final int MOST_STORED = 100;

	/**
	 * The most instants of a cron expression that are computed one by one before the rest
	 * is skipped.
	 */
	private static final int MOST_STEPS = 20_000;

	private final Recurrence recurrence;

	private final Instant stored;

	private final Instant limit;

	private final Deque<Instant> newestMissed = new ArrayDeque<>();

	private final List<Instant> late = new ArrayList<>();

	private long missed;

	/**
	 * Creates an empty list.
	 * @param recurrence the recurrence that computes the instants
	 * @param stored when the definition was stored
	 * @param now the time of Redis
	 */
	PastInstants(Recurrence recurrence, Instant stored, Instant now) {
		this.recurrence = recurrence;
		this.stored = stored;
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
	 * Adds all instants after the first and up to the last given instant, which is
	 * included.
	 */
	void addBetween(Instant after, Instant until) {
		Instant at = skip(after);
		int steps = 0;
		Optional<Instant> next = this.recurrence.next(at, this.stored);
		while (next.isPresent() && !next.get().isAfter(until)) {
			add(next.get());
			at = next.get();
			steps++;
			if (steps == MOST_STEPS) {
				at = newestBefore(at);
			}
			next = this.recurrence.next(at, this.stored);
		}
	}

	/**
	 * Counts missed instants of an interval without computing each, and returns the
	 * instant after which to continue.
	 */
	private Instant skip(Instant after) {
		Duration every = this.recurrence.every();
		if (every == null) {
			return after;
		}
		Instant next = this.recurrence.next(after, this.stored).orElse(this.limit);
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
	 * Returns a time shortly before the limit, so that only few instants follow. The
	 * instants that this skips do not count as missed.
	 */
	private Instant newestBefore(Instant at) {
		for (Duration window = Duration.ofMinutes(10); window.toDays() < 3660; window = window.multipliedBy(4)) {
			Instant begin = this.limit.minus(window);
			if (!begin.isAfter(at)) {
				return at;
			}
			if (this.recurrence.next(begin, this.stored).filter((next) -> next.isBefore(this.limit)).isPresent()) {
				return begin;
			}
		}
		return at;
	}

	/**
	 * Returns the number of missed instants, which may be too low after many instants.
	 */
	long missed() {
		return this.missed;
	}

	/** Returns the instants that get an occurrence, in their order. */
	List<Instant> toStore(MissedPolicy policy) {
		List<Instant> all = new ArrayList<>();
		switch (policy) {
			case ALL -> all.addAll(this.newestMissed);
			case LATEST -> {
				if (!this.newestMissed.isEmpty()) {
					all.add(this.newestMissed.getLast());
				}
			}
			case NONE -> {
			}
		}
		all.addAll(this.late);
		return all;
	}

}
