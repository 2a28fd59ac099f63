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
 * A message to be scheduled. Immutable: each method returns a request of its own, so a
 * half-filled one can serve as a template.
 *
 * <pre class="code">
 * delayQueue.schedule(ScheduleRequest.to("order-timeout")
 *     .payload(new OrderTimeout(orderId))
 *     .id(orderId)
 *     .delay(Duration.ofMinutes(15)));
 * </pre>
 *
 * <p>
 * A payload and either a delay or a due time are required. Every method throws
 * {@link InvalidMessageException} for a value that breaks its rule.
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

	/** What the message is called, and what if there is one of that name. */
	private record Name(@Nullable String id, @Nullable String group, DuplicatePolicy onDuplicate) {
	}

	/** When it is due, and until when it may start: one of each two, or none yet. */
	private record Timing(@Nullable Duration delay, @Nullable Instant dueAt, @Nullable Duration expireAfter,
			@Nullable Instant expiresAt) {

		private Timing {
			Rules.expiry(dueAt, expiresAt);
		}

	}

	/** How it is retried where that is not as its queue has it. */
	private record Retry(@Nullable Integer maxAttempts, @Nullable BackOffPolicy backOff) {
	}

	/**
	 * Starts a request.
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
	 * @param payload what the listener will receive; written as JSON when the request is
	 * scheduled, of at most the queue's max-payload-size
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
	 * queue among the messages of the same group. It is not stored twice while it is
	 * known, nor for the queue's de-duplication window after it finished; see
	 * {@link #onDuplicate(DuplicatePolicy)}
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
	 * Sets what happens if the id is known already. Without this, what is known is kept.
	 * @param policy keep, replace, fail or postpone; all but keep need an id
	 * @return the new request
	 */
	public ScheduleRequest onDuplicate(DuplicatePolicy policy) {
		return named(new Name(this.name.id(), this.name.group(), Rules.onDuplicate(policy)));
	}

	/**
	 * Adds a header.
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
	 * Sets how long to wait, counted by the clock of the Redis master from the moment the
	 * message arrives there. Replaces a due time.
	 * @param delay from 0 (ready at once) to the queue's max-delay; rounded up to whole
	 * milliseconds
	 * @return the new request
	 */
	public ScheduleRequest delay(Duration delay) {
		return timed(new Timing(Rules.delay(delay), null, this.timing.expireAfter(), this.timing.expiresAt()));
	}

	/**
	 * Sets the due time. Replaces a delay.
	 * @param dueAt the instant, not before 1970 and at most the queue's max-delay ahead;
	 * rounded up to whole milliseconds. An instant of the past is due at once. Not after
	 * an {@link #expiresAt(Instant)} that is set
	 * @return the new request
	 */
	public ScheduleRequest dueAt(Instant dueAt) {
		return timed(new Timing(null, Rules.dueAt(dueAt), this.timing.expireAfter(), this.timing.expiresAt()));
	}

	/**
	 * Sets until when an attempt to handle the message may begin, by the clock of the
	 * Redis master; one that is due later, a retry too, does not begin. What becomes of
	 * the message then is what its queue says. Replaces {@link #expireAfter(Duration)},
	 * and what the queue says of when.
	 * @param expiresAt the instant, not before 1970 and not before the due time; rounded
	 * up to whole milliseconds
	 * @return the new request
	 */
	public ScheduleRequest expiresAt(Instant expiresAt) {
		return timed(new Timing(this.timing.delay(), this.timing.dueAt(), null, Rules.expiresAt(expiresAt)));
	}

	/**
	 * Sets for how long after the due time an attempt to handle the message may begin.
	 * When the message is rescheduled, that moves along. Replaces
	 * {@link #expiresAt(Instant)}, and what the queue says of when.
	 * @param expireAfter from 1 ms to 3,650 d; rounded up to whole milliseconds
	 * @return the new request
	 */
	public ScheduleRequest expireAfter(Duration expireAfter) {
		return timed(
				new Timing(this.timing.delay(), this.timing.dueAt(), Rules.within("expireAfter", expireAfter), null));
	}

	/**
	 * Sets after how many failures the message is set aside, whatever its queue says.
	 * @param maxAttempts 1 to 10,000; the first attempt counts
	 * @return the new request
	 */
	public ScheduleRequest maxAttempts(int maxAttempts) {
		return retried(new Retry(Rules.maxAttempts(maxAttempts), this.retry.backOff()));
	}

	/**
	 * Sets how long to wait before each retry, whatever the queue says: a callback after
	 * 1, 3, 5 minutes, a reminder that comes less and less often.
	 * @param backOff the waits; a list of at most 100
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
	 * The queue.
	 * @return the queue's name
	 */
	public String queue() {
		return this.queue;
	}

	/**
	 * The payload.
	 * @return the payload, empty if none was set yet
	 */
	public Optional<Object> payload() {
		return Optional.ofNullable(this.payload);
	}

	/**
	 * The id.
	 * @return the id, empty if one is to be generated
	 */
	public Optional<String> id() {
		return Optional.ofNullable(this.name.id());
	}

	/**
	 * The group key.
	 * @return the group key, empty if there is none
	 */
	public Optional<String> group() {
		return Optional.ofNullable(this.name.group());
	}

	/**
	 * What happens if the id is known already.
	 * @return the policy, {@link DuplicatePolicy#keep()} if none was set
	 */
	public DuplicatePolicy onDuplicate() {
		return this.name.onDuplicate();
	}

	/**
	 * The headers.
	 * @return an immutable map, in the order in which they were added
	 */
	public Map<String, String> headers() {
		return this.headers;
	}

	/**
	 * The delay.
	 * @return the delay, empty if a due time or nothing was set
	 */
	public Optional<Duration> delay() {
		return Optional.ofNullable(this.timing.delay());
	}

	/**
	 * The due time.
	 * @return the due time, empty if a delay or nothing was set
	 */
	public Optional<Instant> dueAt() {
		return Optional.ofNullable(this.timing.dueAt());
	}

	/**
	 * Until when an attempt may begin.
	 * @return the instant, empty if a duration or nothing was set
	 */
	public Optional<Instant> expiresAt() {
		return Optional.ofNullable(this.timing.expiresAt());
	}

	/**
	 * For how long after the due time an attempt may begin.
	 * @return the duration, empty if an instant or nothing was set
	 */
	public Optional<Duration> expireAfter() {
		return Optional.ofNullable(this.timing.expireAfter());
	}

	/**
	 * After how many failures the message is set aside.
	 * @return the number, empty if it is as the queue has it
	 */
	public Optional<Integer> maxAttempts() {
		return Optional.ofNullable(this.retry.maxAttempts());
	}

	/**
	 * How long to wait before each retry.
	 * @return the waits, empty if they are as the queue has them
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

	/** Without the payload and the headers' values: they may be confidential. */
	@Override
	public String toString() {
		return "ScheduleRequest[queue=" + this.queue + ", id=" + this.name.id() + ", group=" + this.name.group()
				+ ", onDuplicate=" + this.name.onDuplicate() + ", headers=" + this.headers.keySet() + ", delay="
				+ this.timing.delay() + ", dueAt=" + this.timing.dueAt() + ", expireAfter=" + this.timing.expireAfter()
				+ ", expiresAt=" + this.timing.expiresAt() + ", maxAttempts=" + this.retry.maxAttempts() + ", backOff="
				+ this.retry.backOff() + "]";
	}

}
