package io.delayqueue;

import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The content of a {@link ScheduleRequest}.
 *
 * @param queue the queue's name
 * @param payload the payload, {@code null} if none is set yet
 * @param payloadType the type by which the payload is written, {@code null} for its class
 * @param name the id and group of the message
 * @param headers the headers; immutable
 * @param timing the due time and the expiry of the message
 * @param retry the message's own retry settings
 */
record RequestContent(String queue, @Nullable Object payload, @Nullable Type payloadType, Name name,
		Map<String, String> headers, Timing timing, Retry retry) {

	static RequestContent of(String queue) {
		return new RequestContent(queue, null, null, new Name(null, null, DuplicatePolicy.keep()), Map.of(),
				new Timing(null, null, null, null, null), new Retry(null, null));
	}

	/** The id and group of a message, and the policy for an id that exists already. */
	record Name(@Nullable String id, @Nullable String group, DuplicatePolicy onDuplicate) {
	}

	/**
	 * The due time of a message, the longest offset ({@code within}) that is added to the
	 * due time, and the expiry. At most one of {@code delay} and {@code dueAt} is set,
	 * and at most one of {@code expireAfter} and {@code expiresAt}.
	 */
	record Timing(@Nullable Duration delay, @Nullable Instant dueAt, @Nullable Duration within,
			@Nullable Duration expireAfter, @Nullable Instant expiresAt) {

		Timing {
			Rules.expiry(dueAt, within, expiresAt);
		}

		Timing due(@Nullable Duration delay, @Nullable Instant dueAt) {
			return new Timing(delay, dueAt, this.within, this.expireAfter, this.expiresAt);
		}

		Timing dueWithin(Duration within) {
			return new Timing(this.delay, this.dueAt, within, this.expireAfter, this.expiresAt);
		}

		Timing expires(@Nullable Duration expireAfter, @Nullable Instant expiresAt) {
			return new Timing(this.delay, this.dueAt, this.within, expireAfter, expiresAt);
		}

	}

	/**
	 * The retry settings of one message, {@code null} where the settings of the queue
	 * apply.
	 */
	record Retry(@Nullable Integer maxAttempts, @Nullable BackOffPolicy backOff) {
	}

	RequestContent withPayload(Object payload, @Nullable Type type) {
		return new RequestContent(this.queue, payload, type, this.name, this.headers, this.timing, this.retry);
	}

	RequestContent with(Name name) {
		return new RequestContent(this.queue, this.payload, this.payloadType, name, this.headers, this.timing,
				this.retry);
	}

	RequestContent withHeader(String name, String value) {
		Map<String, String> headers = new LinkedHashMap<>(this.headers);
		headers.put(name, value);
		return new RequestContent(this.queue, this.payload, this.payloadType, this.name,
				Collections.unmodifiableMap(headers), this.timing, this.retry);
	}

	RequestContent with(Timing timing) {
		return new RequestContent(this.queue, this.payload, this.payloadType, this.name, this.headers, timing,
				this.retry);
	}

	RequestContent with(Retry retry) {
		return new RequestContent(this.queue, this.payload, this.payloadType, this.name, this.headers, this.timing,
				retry);
	}

	/**
	 * Returns a text without the payload and without the values of headers, which may be
	 * confidential.
	 */
	@Override
	public String toString() {
		return "queue=" + this.queue + ", id=" + this.name.id() + ", group=" + this.name.group() + ", onDuplicate="
				+ this.name.onDuplicate() + ", headers=" + this.headers.keySet() + ", delay=" + this.timing.delay()
				+ ", dueAt=" + this.timing.dueAt() + ", within=" + this.timing.within() + ", expireAfter="
				+ this.timing.expireAfter() + ", expiresAt=" + this.timing.expiresAt() + ", maxAttempts="
				+ this.retry.maxAttempts() + ", backOff=" + this.retry.backOff();
	}

}
