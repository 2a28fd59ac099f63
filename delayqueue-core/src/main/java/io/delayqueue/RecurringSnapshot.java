package io.delayqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A recurring schedule as it was in Redis at the moment of a query, without its payload.
 *
 * @param queue the queue of the occurrences
 * @param key the key of the schedule, unique in the queue
 * @param group the group of the occurrences, {@code null} if they have no group
 * @param recurrence the recurrence, which computes the instants
 * @param policies the policies for missed and for overlapping instants
 * @param state the progress of the schedule
 */
public record RecurringSnapshot(String queue, String key, @Nullable String group, Recurrence recurrence,
		Policies policies, State state) {

	/**
	 * The policies of a recurring schedule for missed and for overlapping instants.
	 *
	 * @param missed the policy for missed instants
	 * @param overlap the policy for instants that come while the last occurrence has not
	 * ended
	 */
	public record Policies(MissedPolicy missed, OverlapPolicy overlap) {
	}

	/**
	 * The progress of a recurring schedule. All times are by the clock of Redis.
	 *
	 * @param storedAt the time at which the schedule was stored
	 * @param readAt the time at which this progress was read from Redis
	 * @param nextInstant the next instant, {@code null} if the schedule is paused or
	 * suspended or no instant follows; before {@code readAt} if the schedule is late
	 * @param marks whether the schedule is paused or suspended, and which application
	 * declares it
	 * @param lastInstant the last instant for which an occurrence was stored, possibly an
	 * instant in the future; {@code null} if no occurrence was stored
	 * @param counts the numbers of missed and skipped instants
	 */
	public record State(Instant storedAt, Instant readAt, @Nullable Instant nextInstant, Marks marks,
			@Nullable Instant lastInstant, Counts counts) {
	}

	/**
	 * Whether a recurring schedule is paused or suspended, and which application declares
	 * the schedule.
	 *
	 * @param paused the time since which the schedule is paused, {@code null} if the
	 * schedule is not paused
	 * @param suspended the time since which no running process of its application
	 * declares the schedule, {@code null} if the schedule is not suspended
	 * @param application the application that declares the schedule, {@code null} if the
	 * schedule was created by a call
	 */
	public record Marks(@Nullable Instant paused, @Nullable Instant suspended, @Nullable String application) {
	}

	/**
	 * How many instants of a recurring schedule have passed without an occurrence that
	 * was stored in time. A schedule that replaces another schedule continues the counts
	 * of that schedule.
	 *
	 * @param missed the number of missed instants, with or without a late occurrence
	 * @param skipped the number of instants that got no occurrence because the last
	 * occurrence had not ended
	 */
	public record Counts(long missed, long skipped) {
	}

	/**
	 * Returns the next instants of the schedule.
	 * @param most the maximum number of instants, 1 to 1,000
	 * @return the instants, none while the schedule is paused or suspended
	 */
	public List<Instant> upcoming(int most) {
		Instant next = this.state.nextInstant();
		if (next == null) {
			return List.of();
		}
		// The instants of an interval can be counted from any of them
		Duration every = this.recurrence.every();
		return this.recurrence.upcoming(next.minusMillis(1), (every != null) ? next.minus(every) : next, most);
	}

	/**
	 * {@return the next instant of the schedule, empty if the schedule is paused or
	 * suspended, or no instant follows}
	 */
	public Optional<Instant> next() {
		return Optional.ofNullable(this.state.nextInstant());
	}

	/**
	 * Returns how late the schedule is: the time since its next instant, if this instant
	 * has passed without an occurrence.
	 * @return the delay by the clock of Redis, 0 if the schedule is not late
	 */
	public Duration late() {
		return next().filter((next) -> next.isBefore(this.state.readAt()))
			.map((next) -> Duration.between(next, this.state.readAt()))
			.orElse(Duration.ZERO);
	}

	/**
	 * Returns since when the schedule is paused.
	 * @return the instant, empty if the schedule is not paused
	 */
	public Optional<Instant> pausedSince() {
		return Optional.ofNullable(this.state.marks().paused());
	}

	/**
	 * Returns since when no running process of the schedule's application declares the
	 * schedule.
	 * @return the instant, empty if the schedule is not suspended
	 */
	public Optional<Instant> suspendedSince() {
		return Optional.ofNullable(this.state.marks().suspended());
	}

	/**
	 * Returns the application that declares the schedule.
	 * @return the name of the application, empty if the schedule was created by a call
	 */
	public Optional<String> application() {
		return Optional.ofNullable(this.state.marks().application());
	}

}
