package io.delayqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A request to schedule a message. Immutable: each setter returns a new request, so an
 * incomplete request can serve as a template.
 *
 * <pre class="code">
 * delayQueue.schedule(ScheduleRequest.to("order-timeout")
 *     .payload(new OrderTimeout(orderId))
 *     .id(orderId)
 *     .delay(Duration.ofMinutes(15)));
 * </pre>
 *
 * <p>
 * A payload and either a delay or a due time are required. Every setter throws
 * {@link InvalidMessageException} for an invalid value.
 */
public final class ScheduleRequest {

	private final String queue;

	private final @Nullable Object payload;

	private final Name name;

	private final Map<String, String> headers;

	private final Timing timing;

	private final Retry retry;

	private ScheduleRequest(String queue, @Nullable Object payload, Name name, Map<String, String> headers,
			Timing timing, Retry retry) {
		this.queue = queue;
		this.payload = payload;
		this.name = name;
		this.headers = headers;
		this.timing = timing;
		this.retry = retry;
	}

	/** The identity of the message, and the policy for an id that exists already. */
	private record Name(@Nullable String id, @Nullable String group, DuplicatePolicy onDuplicate) {
	}

	/** The due time and the expiry: at most one value of each pair is set. */
	private record Timing(@Nullable Duration delay, @Nullable Instant dueAt, @Nullable Duration expireAfter,
			@Nullable Instant expiresAt) {

		private Timing {
			Rules.expiry(dueAt, expiresAt);
		}

	}

	/** Overrides of the queue's retry settings. */
	private record Retry(@Nullable Integer maxAttempts, @Nullable BackOffPolicy backOff) {
	}

	/**
	 * Creates a request.
	 * @param queue the queue: 1 to 100 characters of {@code [A-Za-z0-9._-]}, the first
	 * one a letter or a digit
	 * @return a request for that queue
	 */
	public static ScheduleRequest to(String queue) {
		return new ScheduleRequest(Rules.queue(queue), null, new Name(null, null, DuplicatePolicy.keep()), Map.of(),
				new Timing(null, null, null, null), new Retry(null, null));
	}

	/**
	 * Sets the payload.
	 * @param payload the payload, not {@code null}; converted by the
	 * {@link PayloadConverter} when the request is scheduled, to at most the queue's
	 * {@code max-payload-size}
	 * @return the new request
	 */
	public ScheduleRequest payload(Object payload) {
		if (payload == null) {
			throw Rules.invalid("payload", null, "a value that can be written as JSON");
		}
		return new ScheduleRequest(this.queue, payload, this.name, this.headers, this.timing, this.retry);
	}

	/**
	 * Sets the id. Without one, a time-ordered id is generated.
	 * @param id the id: 1 to 200 code points without control characters, unique in the
	 * queue among the messages of the same group. By default a second message with the id
	 * is not stored while the first one exists, nor within the queue's de-duplication
	 * window after it has finished; see {@link #onDuplicate(DuplicatePolicy)}
	 * @return the new request
	 */
	public ScheduleRequest id(String id) {
		return named(new Name(Rules.id(id), this.name.group(), this.name.onDuplicate()));
	}

	/**
	 * Sets the group key: the business key (user, tenant, game) that the message belongs
	 * to. Messages of one group live in one partition.
	 * @param group the group key: 1 to 200 code points without control characters
	 * @return the new request
	 */
	public ScheduleRequest group(String group) {
		return named(new Name(this.name.id(), Rules.group(group), this.name.onDuplicate()));
	}

	/**
	 * Sets the policy for an id that exists already. The default is
	 * {@link DuplicatePolicy#keep()}.
	 * @param policy the policy; all but {@code keep} require an id
	 * @return the new request
	 */
	public ScheduleRequest onDuplicate(DuplicatePolicy policy) {
		return named(new Name(this.name.id(), this.name.group(), Rules.onDuplicate(policy)));
	}

	/**
	 * Sets a header. A message has at most 64 headers.
	 * @param name the name: 1 to 200 code points without control characters
	 * @param value the value: at most 8,192 characters
	 * @return the new request
	 */
	public ScheduleRequest header(String name, String value) {
		Map<String, String> headers = new LinkedHashMap<>(Rules.header(this.headers, name, value));
		headers.put(name, value);
		return new ScheduleRequest(this.queue, this.payload, this.name, Collections.unmodifiableMap(headers),
				this.timing, this.retry);
	}

	/**
	 * Sets the delay, counted by the clock of the Redis master from the moment the
	 * message arrives there. Replaces a due time.
	 * @param delay the delay, from 0 (due at once) to the queue's {@code max-delay};
	 * rounded up to whole milliseconds
	 * @return the new request
	 */
	public ScheduleRequest delay(Duration delay) {
		return timed(new Timing(Rules.delay(delay), null, this.timing.expireAfter(), this.timing.expiresAt()));
	}

	/**
	 * Sets the due time. Replaces a delay.
	 * @param dueAt the instant, from 1970 to at most the queue's {@code max-delay} in the
	 * future, and not after {@link #expiresAt(Instant)} if that is set; rounded up to
	 * whole milliseconds. An instant in the past is due at once
	 * @return the new request
	 */
	public ScheduleRequest dueAt(Instant dueAt) {
		return timed(new Timing(null, Rules.dueAt(dueAt), this.timing.expireAfter(), this.timing.expiresAt()));
	}

	/**
	 * Sets the expiry: the instant, by the clock of the Redis master, after which no
	 * attempt to handle the message begins, and no retry. An expired message is treated
	 * as configured by the queue's {@code expiry.then}. Replaces
	 * {@link #expireAfter(Duration)} and the queue's {@code expiry.after}.
	 * @param expiresAt the instant, from 1970 to 9999 and not before the due time;
	 * rounded up to whole milliseconds
	 * @return the new request
	 */
	public ScheduleRequest expiresAt(Instant expiresAt) {
		return timed(new Timing(this.timing.delay(), this.timing.dueAt(), null, Rules.expiresAt(expiresAt)));
	}

	/**
	 * Sets the expiry as a duration after the due time; after that no attempt to handle
	 * the message begins, and no retry. Rescheduling the message moves its expiry too.
	 * Replaces {@link #expiresAt(Instant)} and the queue's {@code expiry.after}.
	 * @param expireAfter the duration, from 1 ms to 3,650 days; rounded up to whole
	 * milliseconds
	 * @return the new request
	 */
	public ScheduleRequest expireAfter(Duration expireAfter) {
		return timed(
				new Timing(this.timing.delay(), this.timing.dueAt(), Rules.within("expireAfter", expireAfter), null));
	}

	/**
	 * Sets the number of failures after which the message is dead-lettered, in place of
	 * the queue's {@code max-attempts}.
	 * @param maxAttempts the number of attempts including the first one, 1 to 10,000
	 * @return the new request
	 */
	public ScheduleRequest maxAttempts(int maxAttempts) {
		return retried(new Retry(Rules.maxAttempts(maxAttempts), this.retry.backOff()));
	}

	/**
	 * Sets the waits between attempts, in place of the queue's back-off, for example 1, 3
	 * and 5 minutes for a callback.
	 * @param backOff the policy, with a list of at most 100 waits
	 * @return the new request
	 */
	public ScheduleRequest backOff(BackOffPolicy backOff) {
		return retried(new Retry(this.retry.maxAttempts(), Rules.backOff(backOff)));
	}

	private ScheduleRequest named(Name name) {
		return new ScheduleRequest(this.queue, this.payload, name, this.headers, this.timing, this.retry);
	}

	private ScheduleRequest timed(Timing timing) {
		return new ScheduleRequest(this.queue, this.payload, this.name, this.headers, timing, this.retry);
	}

	private ScheduleRequest retried(Retry retry) {
		return new ScheduleRequest(this.queue, this.payload, this.name, this.headers, this.timing, retry);
	}

	/**
	 * Returns the queue.
	 * @return the queue's name
	 */
	public String queue() {
		return this.queue;
	}

	/**
	 * Returns the payload.
	 * @return the payload, empty if none was set
	 */
	public Optional<Object> payload() {
		return Optional.ofNullable(this.payload);
	}

	/**
	 * Returns the id.
	 * @return the id, empty if none was set: then one is generated
	 */
	public Optional<String> id() {
		return Optional.ofNullable(this.name.id());
	}

	/**
	 * Returns the group key.
	 * @return the group key, empty if none was set
	 */
	public Optional<String> group() {
		return Optional.ofNullable(this.name.group());
	}

	/**
	 * Returns the policy for an id that exists already.
	 * @return the policy, {@link DuplicatePolicy#keep()} if none was set
	 */
	public DuplicatePolicy onDuplicate() {
		return this.name.onDuplicate();
	}

	/**
	 * Returns the headers.
	 * @return an immutable map, in the order in which they were added
	 */
	public Map<String, String> headers() {
		return this.headers;
	}

	/**
	 * Returns the delay.
	 * @return the delay, empty if a due time or nothing was set
	 */
	public Optional<Duration> delay() {
		return Optional.ofNullable(this.timing.delay());
	}

	/**
	 * Returns the due time.
	 * @return the due time, empty if a delay or nothing was set
	 */
	public Optional<Instant> dueAt() {
		return Optional.ofNullable(this.timing.dueAt());
	}

	/**
	 * Returns the expiry as an instant.
	 * @return the instant, empty if a duration or nothing was set
	 */
	public Optional<Instant> expiresAt() {
		return Optional.ofNullable(this.timing.expiresAt());
	}

	/**
	 * Returns the expiry as a duration after the due time.
	 * @return the duration, empty if an instant or nothing was set
	 */
	public Optional<Duration> expireAfter() {
		return Optional.ofNullable(this.timing.expireAfter());
	}

	/**
	 * Returns the number of failures after which the message is dead-lettered.
	 * @return the number, empty for the queue's setting
	 */
	public Optional<Integer> maxAttempts() {
		return Optional.ofNullable(this.retry.maxAttempts());
	}

	/**
	 * Returns the waits between attempts.
	 * @return the policy, empty for the queue's setting
	 */
	public Optional<BackOffPolicy> backOff() {
		return Optional.ofNullable(this.retry.backOff());
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof ScheduleRequest that && this.queue.equals(that.queue)
				&& Objects.equals(this.payload, that.payload) && this.name.equals(that.name)
				&& this.headers.equals(that.headers) && this.timing.equals(that.timing)
				&& this.retry.equals(that.retry);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.queue, this.payload, this.name, this.headers, this.timing, this.retry);
	}

	/** Omits the payload and the values of headers, which may be confidential. */
	@Override
	public String toString() {
		return "ScheduleRequest[queue=" + this.queue + ", id=" + this.name.id() + ", group=" + this.name.group()
				+ ", onDuplicate=" + this.name.onDuplicate() + ", headers=" + this.headers.keySet() + ", delay="
				+ this.timing.delay() + ", dueAt=" + this.timing.dueAt() + ", expireAfter=" + this.timing.expireAfter()
				+ ", expiresAt=" + this.timing.expiresAt() + ", maxAttempts=" + this.retry.maxAttempts() + ", backOff="
				+ this.retry.backOff() + "]";
	}

}
