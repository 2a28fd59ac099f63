package io.delayqueue;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.CronExpression;

/**
 * Computes the instants of a recurring schedule: from a cron expression in a time zone,
 * or from an interval.
 *
 * <p>
 * A cron expression has the six fields of Spring's {@link CronExpression}, which computes
 * the local times. Each instant at which clocks of the zone show one of these local times
 * is an instant of the schedule: when clocks go forward, a skipped local time has no
 * instant; when clocks go back, a repeated local time has two instants. The instants of
 * an interval are an anchor plus 0, 1, 2, … times the interval. The anchor is
 * {@link #from()}. Without {@code from} the anchor is the time at which the schedule was
 * first stored with this interval, and the anchor itself is not an instant of the
 * schedule.
 *
 * @param cron the cron expression, {@code null} if there is an interval
 * @param zone the time zone of the cron expression, {@code null} if there is an interval
 * @param every the interval, 1 s to 3,650 days in whole ms; {@code null} if there is a
 * cron expression
 * @param from the first possible instant, {@code null} for no lower limit
 * @param until the last possible instant, {@code null} for no upper limit
 */
public record Recurrence(@Nullable String cron, @Nullable ZoneId zone, @Nullable Duration every, @Nullable Instant from,
		@Nullable Instant until) {

	private static final Duration SHORTEST = Duration.ofSeconds(1);

	private static final Duration LONGEST = Duration.ofDays(3650);

	private static final int MOST_UPCOMING = 1000;

	/**
	 * Checks the components, and rounds times up to whole milliseconds.
	 * @throws InvalidMessageException if there are both a cron expression and an
	 * interval, or neither; if the cron expression is malformed or never fires; if the
	 * interval is out of its bounds; or if {@code from} is after {@code until}
	 */
	public Recurrence {
		if ((cron == null) == (every == null)) {
			throw Rules.invalid("cron", (cron != null) ? cron + " and every " + every : "missing",
					"set, or an interval must be set, but not both");
		}
		if (cron != null) {
			if (zone == null) {
				throw Rules.invalid("zone", null, "set where there is a cron expression");
			}
			checkFires(cron, zone);
		}
		if (every != null) {
			if (every.compareTo(SHORTEST) < 0 || every.compareTo(LONGEST) > 0) {
				throw Rules.invalid("every", every, "a duration from 1 s to " + LONGEST.toDays() + " days");
			}
			every = Duration.ofMillis(every.plusNanos(999_999).toMillis());
		}
		from = (from != null) ? millis("from", from) : null;
		until = (until != null) ? millis("until", until) : null;
		if (from != null && until != null && from.isAfter(until)) {
			throw Rules.invalid("from", from, "at or before until, which is " + until);
		}
	}

	private static Instant millis(String field, Instant instant) {
		return Instant.ofEpochMilli(Rules.instant(field, instant).plusNanos(999_999).toEpochMilli());
	}

	private static void checkFires(String cron, ZoneId zone) {
		try {
			if (nextOfCron(cron, zone, Instant.EPOCH) == null) {
				throw Rules.invalid("cron", cron, "an expression that fires, but it never does");
			}
		}
		catch (IllegalArgumentException malformed) {
			throw Rules.invalid("cron", cron,
					"an expression of six fields (second, minute, hour, day, month, weekday): "
							+ malformed.getMessage());
		}
	}

	/**
	 * Returns the time zone with a name.
	 * @param zone the name, for example {@code Europe/Berlin}
	 * @return the zone
	 * @throws InvalidMessageException if there is no such zone
	 */
	static ZoneId zone(@Nullable String zone) {
		try {
			return ZoneId.of((zone != null) ? zone : "");
		}
		catch (DateTimeException unknown) {
			throw Rules.invalid("zone", zone, "a time zone that Java supports, such as Europe/Berlin");
		}
	}

	/**
	 * Returns the first instant of the schedule after a given instant.
	 * @param after the given instant
	 * @param stored the time at which the schedule was first stored with its interval:
	 * the anchor of an interval without {@code from}
	 * @return the first instant of this recurrence after the given instant, empty if none
	 * follows
	 */
	public Optional<Instant> next(Instant after, Instant stored) {
		Instant begin = (this.from != null && this.from.isAfter(after)) ? this.from.minusMillis(1) : after;
		Instant next = (this.every != null) ? nextOf(this.every, begin, stored)
				: nextOfCron(Objects.requireNonNull(this.cron), Objects.requireNonNull(this.zone), begin);
		return Optional.ofNullable(next).filter((instant) -> this.until == null || !instant.isAfter(this.until));
	}

	private Instant nextOf(Duration every, Instant after, Instant stored) {
		Instant anchor = (this.from != null) ? this.from : stored;
		long passed = Math.floorDiv(after.toEpochMilli() - anchor.toEpochMilli(), every.toMillis());
		return anchor.plusMillis(Math.max(passed + 1, (this.from != null) ? 0 : 1) * every.toMillis());
	}

	/**
	 * Computes the first instant of a cron expression after a given instant. Between two
	 * changes of its clocks a zone has one offset, so the first local time of the
	 * expression is looked for in one such period after the other. The expression sees
	 * only local times without an offset: versions of {@link CronExpression} differ in
	 * what they do at a change of the clocks.
	 */
	private static @Nullable Instant nextOfCron(String cron, ZoneId zone, Instant after) {
		CronExpression expression = CronExpression.parse(cron);
		ZoneRules rules = zone.getRules();
		ZoneOffset offset = rules.getOffset(after);
		ZoneOffsetTransition change = rules.nextTransition(after);
		LocalDateTime next = expression.next(LocalDateTime.ofInstant(after, offset));
		while (next != null && change != null && !next.toInstant(offset).isBefore(change.getInstant())) {
			if (change.getInstant().isAfter(Rules.LATEST)) {
				return null;
			}
			offset = change.getOffsetAfter();
			next = expression.next(change.getDateTimeAfter().minusNanos(1));
			change = rules.nextTransition(change.getInstant());
		}
		return (next != null) ? next.toInstant(offset) : null;
	}

	/**
	 * Returns the first instants of the schedule after a given instant.
	 * @param after the given instant
	 * @param stored the time at which the schedule was first stored with its interval
	 * @param most the most instants, 1 to 1,000
	 * @return the first instants of this recurrence after the given instant
	 */
	public List<Instant> upcoming(Instant after, Instant stored, int most) {
		List<Instant> upcoming = new ArrayList<>();
		Optional<Instant> next = next(after, stored);
		while (next.isPresent() && upcoming.size() < Math.min(most, MOST_UPCOMING)) {
			upcoming.add(next.get());
			next = next(next.get(), stored);
		}
		return upcoming;
	}

	@Override
	public String toString() {
		String instants = (this.every != null) ? "every " + DurationText.of(this.every)
				: "cron '" + this.cron + "' in " + this.zone;
		return instants + ((this.from != null) ? " from " + this.from : "")
				+ ((this.until != null) ? " until " + this.until : "");
	}

}
