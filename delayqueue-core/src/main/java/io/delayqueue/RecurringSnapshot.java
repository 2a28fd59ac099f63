package io.delayqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A recurring schedule as Redis has it at one moment, without its payload.
 *
 * @param queue the queue of its occurrences
 * @param key its name, unique in the queue
 * @param group the group of its occurrences, {@code null} if they have none
 * @param recurrence its instants
 * @param policies what happens to missed and to overlapping instants
 * @param state how far it has come
 */
public record RecurringSnapshot(String queue, String key, @Nullable String group, Recurrence recurrence,
		Policies policies, State state) {

	/**
	 * What happens to missed and to overlapping instants.
	 *
	 * @param missed what happens to missed instants
	 * @param overlap what happens to overlapping instants
	 */
	public record Policies(MissedPolicy missed, OverlapPolicy overlap) {
	}

	/**
	 * How far a schedule has come. All times are those of Redis.
	 *
	 * @param storedAt when the definition was stored: the anchor of an interval without a
	 * {@code from}
	 * @param readAt when this state was read
	 * @param nextInstant the next instant, {@code null} if it is paused or suspended or
	 * no instant follows; before {@code readAt} if the schedule is late
	 * @param marks why it has no occurrences, if so
	 * @param lastInstant the last instant of which an occurrence was stored, possibly
	 * ahead; {@code null} if there was none
	 * @param counts the missed and skipped instants
	 */
	public record State(Instant storedAt, Instant readAt, @Nullable Instant nextInstant, Marks marks,
			@Nullable Instant lastInstant, Counts counts) {
	}

	/**
	 * Why a schedule has no occurrences, and which application declares it.
	 *
	 * @param paused since when it is paused by an operator, {@code null} if it is not
	 * @param suspended since when no living member of its application declares it,
	 * {@code null} if one does, or if no application has declared it
	 * @param application the application that declares it, {@code null} if it was created
	 * by a call
	 */
	public record Marks(@Nullable Instant paused, @Nullable Instant suspended, @Nullable String application) {
	}

	/**
	 * Instants without a timely occurrence, since the key was created.
	 *
	 * @param missed instants that could not be stored until a minute after them
	 * @param skipped instants that had no occurrence because the last one had not ended
	 */
	public record Counts(long missed, long skipped) {
	}

	/**
	 * The next instants.
	 * @param most the most instants, 1 to 1,000
	 * @return none while it is paused or suspended
	 */
	public List<Instant> upcoming(int most) {
		Instant next = this.state.nextInstant();
		return (next != null) ? this.recurrence.upcoming(next.minusMillis(1), this.state.storedAt(), most) : List.of();
	}

	/**
	 * The next instant.
	 * @return empty if it is paused or suspended, or no instant follows
	 */
	public Optional<Instant> next() {
		return Optional.ofNullable(this.state.nextInstant());
	}

	/**
	 * For how long its next occurrence should have been stored.
	 * @return 0 if it is not late, by the clock of Redis
	 */
	public Duration late() {
		return next().filter((next) -> next.isBefore(this.state.readAt()))
			.map((next) -> Duration.between(next, this.state.readAt()))
			.orElse(Duration.ZERO);
	}

	/**
	 * Since when an operator has paused it.
	 * @return empty if it is not paused
	 */
	public Optional<Instant> pausedSince() {
		return Optional.ofNullable(this.state.marks().paused());
	}

	/**
	 * Since when no living member of its application declares it.
	 * @return empty if it is not suspended
	 */
	public Optional<Instant> suspendedSince() {
		return Optional.ofNullable(this.state.marks().suspended());
	}

	/**
	 * The application that declares it.
	 * @return empty if it was created by a call
	 */
	public Optional<String> application() {
		return Optional.ofNullable(this.state.marks().application());
	}

}
