package io.delayqueue;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterizedTypeReference;

/**
 * The definition of a recurring schedule: a message that is scheduled again and again.
 * Instances are immutable: each setter returns a new definition.
 *
 * <pre class="code">
 * recurring.createOrReplace(RecurringSchedule.to("digests", "daily")
 *     .payload(new Digest())
 *     .cron("0 0 9 * * *", ZoneId.of("Europe/Berlin")));
 * </pre>
 *
 * <p>
 * A definition requires a payload, and either a cron expression or an interval. Each
 * occurrence is an ordinary message. Its id is the key, {@code @} and the instant in UTC,
 * for example {@code daily@2027-03-28T07:00:00Z}. The due time of an occurrence is its
 * instant; {@code max-delay} does not limit this due time. Occurrences count against the
 * quota of their group, and are stored even if the quota is used up. Every setter of this
 * class throws {@link InvalidMessageException} for an invalid value.
 */
public final class RecurringSchedule {

	private final String key;

	private final ScheduleRequest message;

	private final Timing timing;

	private RecurringSchedule(String key, ScheduleRequest message, Timing timing) {
		this.key = key;
		this.message = message;
		this.timing = timing;
	}

	/**
	 * The timing of a recurring schedule: its instants, and the policies for missed
	 * instants and for overlapping messages.
	 */
	private record Timing(@Nullable String cron, @Nullable ZoneId zone, @Nullable Duration every,
			@Nullable Instant from, @Nullable Instant until, Policies policies) {

		Timing between(@Nullable Instant from, @Nullable Instant until) {
			return new Timing(this.cron, this.zone, this.every, from, until, this.policies);
		}

		Timing with(Policies policies) {
			return new Timing(this.cron, this.zone, this.every, this.from, this.until, policies);
		}

	}

	/** The policies for missed instants and for overlapping messages. */
	private record Policies(MissedPolicy missed, OverlapPolicy overlap) {
	}

	/**
	 * Creates a definition of a recurring schedule without a payload and without
	 * instants.
	 * @param queue the queue of the occurrences
	 * @param key the name of the schedule, unique in the queue: 1 to 150 code points of
	 * well-formed text without control characters and without {@code @}
	 * @return the definition
	 */
	public static RecurringSchedule to(String queue, String key) {
		return new RecurringSchedule(Rules.recurringKey(key), ScheduleRequest.to(queue),
				new Timing(null, null, null, null, null, new Policies(MissedPolicy.LATEST, OverlapPolicy.ALLOW)));
	}

	/**
	 * Sets the payload of each occurrence.
	 * @param payload the payload
	 * @return the new definition
	 */
	public RecurringSchedule payload(Object payload) {
		return with(this.message.payload(payload));
	}

	/**
	 * Sets the payload of each occurrence and its type, see
	 * {@link ScheduleRequest#payload(Object, ParameterizedTypeReference)}.
	 * @param payload the payload
	 * @param type the type that the listener declares
	 * @return the new definition
	 * @param <T> the type of the payload
	 */
	public <T> RecurringSchedule payload(T payload, ParameterizedTypeReference<T> type) {
		return with(this.message.payload(payload, type));
	}

	/**
	 * Adds a header to each occurrence.
	 * @param name the name of the header
	 * @param value the value of the header
	 * @return the new definition
	 */
	public RecurringSchedule header(String name, String value) {
		return with(this.message.header(name, value));
	}

	/**
	 * Sets the group of each occurrence. The key of a recurring schedule is unique in the
	 * queue, whatever its group.
	 * @param group the group key
	 * @return the new definition
	 */
	public RecurringSchedule group(String group) {
		return with(this.message.group(group));
	}

	/**
	 * Sets the expiry of each occurrence.
	 * @param expireAfter the time after the instant of the occurrence, from 1 ms to 3,650
	 * days; if none is set, the queue's setting applies
	 * @return the new definition
	 */
	public RecurringSchedule expireAfter(Duration expireAfter) {
		return with(this.message.expireAfter(expireAfter));
	}

	/**
	 * Sets the number of failures after which an occurrence is dead-lettered.
	 * @param maxAttempts the number of attempts including the first one, 1 to 10,000
	 * @return the new definition
	 */
	public RecurringSchedule maxAttempts(int maxAttempts) {
		return with(this.message.maxAttempts(maxAttempts));
	}

	/**
	 * Sets the waits between the attempts of an occurrence.
	 * @param backOff the policy
	 * @return the new definition
	 */
	public RecurringSchedule backOff(BackOffPolicy backOff) {
		return with(this.message.backOff(backOff));
	}

	/**
	 * Sets the instants of the schedule by a cron expression.
	 * @param cron six fields: second, minute, hour, day of the month, month, weekday
	 * @param zone the time zone of the expression
	 * @return the new definition
	 */
	public RecurringSchedule cron(String cron, ZoneId zone) {
		return checked(new Timing(cron, zone, this.timing.every(), this.timing.from(), this.timing.until(),
				this.timing.policies()));
	}

	/**
	 * Sets the instants of the schedule by a cron expression.
	 * @param cron six fields: second, minute, hour, day of the month, month, weekday
	 * @param zone the name of the time zone of the expression, such as
	 * {@code Europe/Berlin}
	 * @return the new definition
	 */
	public RecurringSchedule cron(String cron, String zone) {
		return cron(cron, Recurrence.zone(zone));
	}

	/**
	 * Sets the instants of the schedule by an interval. If {@link #from} is set, the
	 * instants are {@code from} plus 0, 1, 2, … times the interval; otherwise they are
	 * the time at which the definition is first stored with this interval, plus 1, 2, …
	 * times the interval. So a definition that replaces another one with the same key and
	 * the same interval keeps the instants, whatever else it changes.
	 * @param every from 1 s to 3,650 days; rounded up to whole milliseconds
	 * @return the new definition
	 */
	public RecurringSchedule every(Duration every) {
		return checked(new Timing(this.timing.cron(), this.timing.zone(), every, this.timing.from(),
				this.timing.until(), this.timing.policies()));
	}

	/**
	 * Sets the first possible instant of the schedule.
	 * @param from the instant, rounded up to whole milliseconds. A schedule with an
	 * interval has its first instant at this time; the first instant of a schedule with a
	 * cron expression may be later
	 * @return the new definition
	 */
	public RecurringSchedule from(Instant from) {
		return checked(this.timing.between(Rules.instant("from", from), this.timing.until()));
	}

	/**
	 * Sets the last possible instant. When the last instant of the schedule has come, the
	 * definition is removed from Redis; the last occurrence is still delivered. If the
	 * schedule is paused at its last instant, the definition stays in Redis until the
	 * schedule is resumed or deleted.
	 * @param until the instant, rounded up to whole milliseconds
	 * @return the new definition
	 */
	public RecurringSchedule until(Instant until) {
		return checked(this.timing.between(this.timing.from(), Rules.instant("until", until)));
	}

	/**
	 * Sets which missed instants of the schedule get an occurrence,
	 * {@link MissedPolicy#LATEST} by default.
	 * @param missed the policy
	 * @return the new definition
	 */
	public RecurringSchedule missed(MissedPolicy missed) {
		return new RecurringSchedule(this.key, this.message,
				this.timing.with(new Policies(missed, this.timing.policies().overlap())));
	}

	/**
	 * Sets whether the schedule gets an occurrence at an instant at which its last
	 * occurrence has not ended, {@link OverlapPolicy#ALLOW} by default.
	 * @param overlap the policy
	 * @return the new definition
	 */
	public RecurringSchedule overlap(OverlapPolicy overlap) {
		return new RecurringSchedule(this.key, this.message,
				this.timing.with(new Policies(this.timing.policies().missed(), overlap)));
	}

	private RecurringSchedule with(ScheduleRequest message) {
		return new RecurringSchedule(this.key, message, this.timing);
	}

	private RecurringSchedule checked(Timing timing) {
		if (timing.cron() != null || timing.every() != null) {
			recurrence(timing);
		}
		else if (timing.from() != null && timing.until() != null && timing.from().isAfter(timing.until())) {
			throw Rules.invalid("from", timing.from(), "at or before until, which is " + timing.until());
		}
		return new RecurringSchedule(this.key, this.message, timing);
	}

	private static Recurrence recurrence(Timing timing) {
		return new Recurrence(timing.cron(), timing.zone(), timing.every(), timing.from(), timing.until());
	}

	/**
	 * Returns the key of the schedule.
	 * @return the name, unique in the queue
	 */
	public String key() {
		return this.key;
	}

	/**
	 * Returns the queue of the occurrences.
	 * @return the name of the queue
	 */
	public String queue() {
		return this.message.queue();
	}

	/**
	 * {@return the request that describes an occurrence, without a due time and without
	 * an id}
	 */
	public ScheduleRequest message() {
		return this.message;
	}

	/**
	 * Returns the recurrence, which computes the instants of the schedule.
	 * @return the recurrence
	 * @throws InvalidMessageException if neither a cron expression nor an interval was
	 * set
	 */
	public Recurrence recurrence() {
		return recurrence(this.timing);
	}

	/**
	 * {@return the policy for missed instants}
	 */
	public MissedPolicy missed() {
		return this.timing.policies().missed();
	}

	/**
	 * {@return the policy for instants at which the last occurrence has not ended}
	 */
	public OverlapPolicy overlap() {
		return this.timing.policies().overlap();
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof RecurringSchedule that && this.key.equals(that.key) && this.message.equals(that.message)
				&& this.timing.equals(that.timing);
	}

	@Override
	public int hashCode() {
		return 31 * (31 * this.key.hashCode() + this.message.hashCode()) + this.timing.hashCode();
	}

	/**
	 * Returns a text without the payload and without the values of headers, which may be
	 * confidential.
	 */
	@Override
	public String toString() {
		return "RecurringSchedule[key=" + this.key + ", " + this.message + ", " + this.timing + "]";
	}

}
