package io.delayqueue;

import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

import io.delayqueue.RequestContent.Name;
import io.delayqueue.RequestContent.Retry;
import io.delayqueue.RequestContent.Timing;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterizedTypeReference;

/**
 * A request to schedule a message. Instances are immutable: each setter returns a new
 * request, so an incomplete request can serve as a template.
 *
 * <pre class="code">
 * delayQueue.schedule(ScheduleRequest.to("order-timeout")
 *     .payload(new OrderTimeout(orderId))
 *     .id(orderId)
 *     .delay(Duration.ofMinutes(15)));
 * </pre>
 *
 * <p>
 * A request requires a payload, and a delay or a due time. Setters refuse an invalid
 * value with {@link InvalidMessageException}.
 */
public final class ScheduleRequest {

	private final RequestContent content;

	private ScheduleRequest(RequestContent content) {
		this.content = content;
	}

	/**
	 * {@return a request for a queue, without a payload and without a due time}
	 * @param queue the queue: 1 to 100 characters of {@code [A-Za-z0-9._-]}, the first
	 * one a letter or a digit
	 */
	public static ScheduleRequest to(String queue) {
		return new ScheduleRequest(RequestContent.of(Rules.queue(queue)));
	}

	/**
	 * Sets the payload of the message.
	 * @param payload the payload, not {@code null}; the {@link PayloadConverter} converts
	 * the payload when the message is scheduled, to at most {@code max-payload-size} of
	 * the queue. The default converter refuses a payload that could not be read again
	 * @return the new request
	 * @see #payload(Object, ParameterizedTypeReference)
	 */
	public ScheduleRequest payload(Object payload) {
		return new ScheduleRequest(this.content.withPayload(Rules.payload(payload), null));
	}

	/**
	 * Sets the payload of the message and its type, by which the payload is written. This
	 * is necessary if the payload is generic and its type argument is a type with
	 * subtypes, such as {@code List<Shape>}: a list does not know the type of its
	 * elements, so each shape would be written without what tells a circle from a square.
	 *
	 * <pre class="code">
	 * request.payload(shapes, new ParameterizedTypeReference&lt;List&lt;Shape&gt;&gt;() {
	 * });
	 * </pre>
	 * @param payload the payload, as in {@link #payload(Object)}
	 * @param type the type that the listener declares
	 * @return the new request
	 * @param <T> the type of the payload
	 */
	public <T> ScheduleRequest payload(T payload, ParameterizedTypeReference<T> type) {
		return new ScheduleRequest(this.content.withPayload(Rules.payload(payload), type.getType()));
	}

	/**
	 * Sets the id of the message, instead of a generated, time-ordered id.
	 * @param id the id: 1 to 200 code points without control characters, unique in the
	 * queue among the messages of the same group. By default a second message with the id
	 * is not stored while the first one exists, nor within the queue's de-duplication
	 * window after it has finished; see {@link #onDuplicate(DuplicatePolicy)}
	 * @return the new request
	 */
	public ScheduleRequest id(String id) {
		return new ScheduleRequest(this.content
			.with(new Name(Rules.id(id), this.content.name().group(), this.content.name().onDuplicate())));
	}

	/**
	 * Sets the group key of the message: the business key (user, tenant, game) that it
	 * belongs to. Redis stores the messages of one group in one partition.
	 * @param group the group key: 1 to 200 code points without control characters
	 * @return the new request
	 */
	public ScheduleRequest group(String group) {
		return new ScheduleRequest(this.content
			.with(new Name(this.content.name().id(), Rules.group(group), this.content.name().onDuplicate())));
	}

	/**
	 * Sets the policy for an id that exists already. The default is
	 * {@link DuplicatePolicy#keep()}.
	 * @param policy the policy; every policy but {@code keep} requires an id
	 * @return the new request
	 */
	public ScheduleRequest onDuplicate(DuplicatePolicy policy) {
		return new ScheduleRequest(this.content
			.with(new Name(this.content.name().id(), this.content.name().group(), Rules.onDuplicate(policy))));
	}

	/**
	 * Adds or replaces a header of the message, which has at most 64 headers.
	 * @param name the name: 1 to 200 code points without control characters
	 * @param value the value: at most 8,192 characters
	 * @return the new request
	 */
	public ScheduleRequest header(String name, String value) {
		Rules.header(this.content.headers(), name, value);
		return new ScheduleRequest(this.content.withHeader(name, value));
	}

	/**
	 * Sets the delay of the message, counted by the clock of the Redis master from the
	 * moment when Redis stores the message. A delay replaces a due time that was set
	 * before.
	 * @param delay the delay, from 0 (due at once) to the queue's {@code max-delay};
	 * rounded up to whole milliseconds
	 * @return the new request
	 */
	public ScheduleRequest delay(Duration delay) {
		return timed(this.content.timing().due(Rules.delay(delay), null));
	}

	/**
	 * Sets the due time of the message. A due time replaces a delay that was set before.
	 * @param dueAt the instant, from 1970 to at most the queue's {@code max-delay} in the
	 * future, and not after {@link #expiresAt(Instant)} if that is set; rounded up to
	 * whole milliseconds. With an instant in the past, the message is due at once
	 * @return the new request
	 */
	public ScheduleRequest dueAt(Instant dueAt) {
		return timed(this.content.timing().due(null, Rules.dueAt(dueAt)));
	}

	/**
	 * Makes the due time flexible: the library adds an offset, from 0 to the given
	 * duration, to the requested due time. The offset depends on the group key, or on the
	 * id if there is no group. The same key always has the same offset, and many keys
	 * spread evenly over the duration. The resulting due time determines the order and
	 * the start of {@code expireAfter}. Rescheduling adds no offset.
	 * @param within the longest offset, 0 or more; the delay and this duration together
	 * are at most the queue's {@code max-delay}
	 * @return the new request
	 */
	public ScheduleRequest within(Duration within) {
		return timed(this.content.timing().dueWithin(Rules.window(within)));
	}

	/**
	 * Sets the expiry of the message: the instant, by the clock of the Redis master,
	 * after which no attempt to handle the message begins, neither a first attempt nor a
	 * retry. The queue's {@code expiry.then} decides what happens to an expired message.
	 * The instant replaces {@link #expireAfter(Duration)} and the queue's
	 * {@code expiry.after}.
	 * @param expiresAt the instant, from 1970 to 9999 and not before the due time;
	 * rounded up to whole milliseconds
	 * @return the new request
	 */
	public ScheduleRequest expiresAt(Instant expiresAt) {
		return timed(this.content.timing().expires(null, Rules.expiresAt(expiresAt)));
	}

	/**
	 * Sets the expiry of the message as a duration after its due time; after the expiry
	 * no attempt to handle the message begins, neither a first attempt nor a retry.
	 * Rescheduling the message moves its expiry too. The duration replaces
	 * {@link #expiresAt(Instant)} and the queue's {@code expiry.after}.
	 * @param expireAfter the duration, from 1 ms to 3,650 days; rounded up to whole
	 * milliseconds
	 * @return the new request
	 */
	public ScheduleRequest expireAfter(Duration expireAfter) {
		return timed(this.content.timing().expires(Rules.within("expireAfter", expireAfter), null));
	}

	private ScheduleRequest timed(Timing timing) {
		return new ScheduleRequest(this.content.with(timing));
	}

	/**
	 * Sets the number of failures after which the message is dead-lettered, in place of
	 * the queue's {@code max-attempts}.
	 * @param maxAttempts the number of attempts including the first one, 1 to 10,000
	 * @return the new request
	 */
	public ScheduleRequest maxAttempts(int maxAttempts) {
		return new ScheduleRequest(
				this.content.with(new Retry(Rules.maxAttempts(maxAttempts), this.content.retry().backOff())));
	}

	/**
	 * Sets the waits between the attempts, in place of the queue's back-off.
	 * @param backOff the policy, with a list of at most 100 waits
	 * @return the new request
	 */
	public ScheduleRequest backOff(BackOffPolicy backOff) {
		return new ScheduleRequest(
				this.content.with(new Retry(this.content.retry().maxAttempts(), Rules.backOff(backOff))));
	}

	/**
	 * {@return the name of the message's queue}
	 */
	public String queue() {
		return this.content.queue();
	}

	/**
	 * {@return the payload of the message, empty if none was set}
	 */
	public Optional<Object> payload() {
		return Optional.ofNullable(this.content.payload());
	}

	/**
	 * {@return the type by which the payload is written, empty if that is its class}
	 */
	public Optional<Type> payloadType() {
		return Optional.ofNullable(this.content.payloadType());
	}

	/**
	 * {@return the id of the message, empty if none was set, so that the library
	 * generates an id}
	 */
	public Optional<String> id() {
		return Optional.ofNullable(this.content.name().id());
	}

	/**
	 * {@return the group key of the message, empty if none was set}
	 */
	public Optional<String> group() {
		return Optional.ofNullable(this.content.name().group());
	}

	/**
	 * {@return the policy for an id that exists already, {@link DuplicatePolicy#keep()}
	 * if none was set}
	 */
	public DuplicatePolicy onDuplicate() {
		return this.content.name().onDuplicate();
	}

	/**
	 * {@return the headers of the message, immutable, in the order of their addition}
	 */
	public Map<String, String> headers() {
		return this.content.headers();
	}

	/**
	 * {@return the delay of the message, empty if a due time or nothing was set}
	 */
	public Optional<Duration> delay() {
		return Optional.ofNullable(this.content.timing().delay());
	}

	/**
	 * {@return the due time of the message, empty if a delay or nothing was set}
	 */
	public Optional<Instant> dueAt() {
		return Optional.ofNullable(this.content.timing().dueAt());
	}

	/**
	 * {@return the longest offset of a flexible due time, empty if the due time is exact}
	 */
	public Optional<Duration> within() {
		return Optional.ofNullable(this.content.timing().within());
	}

	/**
	 * {@return the expiry of the message, empty if a duration or nothing was set}
	 */
	public Optional<Instant> expiresAt() {
		return Optional.ofNullable(this.content.timing().expiresAt());
	}

	/**
	 * {@return the time from due time to expiry, empty if an instant or nothing was set}
	 */
	public Optional<Duration> expireAfter() {
		return Optional.ofNullable(this.content.timing().expireAfter());
	}

	/**
	 * {@return the most attempts of the message, empty if the queue's setting applies}
	 */
	public Optional<Integer> maxAttempts() {
		return Optional.ofNullable(this.content.retry().maxAttempts());
	}

	/**
	 * {@return the waits between the attempts, empty if the queue's back-off applies}
	 */
	public Optional<BackOffPolicy> backOff() {
		return Optional.ofNullable(this.content.retry().backOff());
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof ScheduleRequest that && this.content.equals(that.content);
	}

	@Override
	public int hashCode() {
		return this.content.hashCode();
	}

	/** Returns a text without the payload and without the values of the headers. */
	@Override
	public String toString() {
		return "ScheduleRequest[" + this.content + "]";
	}

}
