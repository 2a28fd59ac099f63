package io.delayqueue.admin;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import org.jspecify.annotations.Nullable;

/**
 * What an operator changes of a dead letter before it is redriven: its id, headers and
 * payload. What an edit does not name stays as it is, and so do the group, the retry
 * settings and the creation of the message. Instances are immutable.
 */
public final class DeadLetterEdit {

	private static final DeadLetterEdit NONE = new DeadLetterEdit(null, Map.of(), null);

	private final @Nullable String id;

	private final Map<String, @Nullable String> headers;

	private final byte @Nullable [] payload;

	private DeadLetterEdit(@Nullable String id, Map<String, @Nullable String> headers, byte @Nullable [] payload) {
		this.id = id;
		this.headers = headers;
		this.payload = payload;
	}

	/**
	 * {@return an edit that changes nothing}
	 */
	public static DeadLetterEdit none() {
		return NONE;
	}

	/**
	 * Returns an edit that also gives the message another id.
	 * @param id the new id, which no message of the queue and group may have
	 * @return the new edit
	 * @throws InvalidMessageException if the id is invalid
	 */
	public DeadLetterEdit id(String id) {
		return new DeadLetterEdit(MessageKey.of("queue", id).id(), this.headers, this.payload);
	}

	/**
	 * Returns an edit that also adds or replaces a header.
	 * @param name the name of the header
	 * @param value the new value
	 * @return the new edit
	 * @throws InvalidMessageException if the name or the value is invalid, as for
	 * {@link ScheduleRequest#header}
	 */
	public DeadLetterEdit header(String name, String value) {
		ScheduleRequest.to("queue").header(name, value);
		return with(name, value);
	}

	/**
	 * Returns an edit that also removes a header.
	 * @param name the name of the header; an edit may remove a header that the message
	 * does not have
	 * @return the new edit
	 */
	public DeadLetterEdit withoutHeader(String name) {
		return with(name, null);
	}

	private DeadLetterEdit with(String name, @Nullable String value) {
		Map<String, @Nullable String> changed = new LinkedHashMap<>(this.headers);
		changed.put(name, value);
		return new DeadLetterEdit(this.id, Collections.unmodifiableMap(changed), this.payload);
	}

	/**
	 * Returns an edit that also replaces the payload.
	 * @param payload the bytes of the new payload, in the form that the payload converter
	 * of the application writes: JSON by default
	 * @return the new edit
	 */
	public DeadLetterEdit payload(byte[] payload) {
		return new DeadLetterEdit(this.id, this.headers, payload.clone());
	}

	/**
	 * {@return the new id, {@code null} if the message keeps its id}
	 */
	public @Nullable String id() {
		return this.id;
	}

	/**
	 * {@return the new values of headers by name, immutable; {@code null} for a header
	 * that is removed}
	 */
	public Map<String, @Nullable String> headers() {
		return this.headers;
	}

	/**
	 * {@return a copy of the new payload, {@code null} if the message keeps its payload}
	 */
	public byte @Nullable [] payload() {
		return (this.payload != null) ? this.payload.clone() : null;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof DeadLetterEdit that && Objects.equals(this.id, that.id)
				&& this.headers.equals(that.headers) && Arrays.equals(this.payload, that.payload);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.id, this.headers, Arrays.hashCode(this.payload));
	}

	/** Returns a text without the payload and without the values of the headers. */
	@Override
	public String toString() {
		return "DeadLetterEdit[id=" + this.id + ", headers=" + this.headers.keySet() + ", payload="
				+ ((this.payload != null) ? this.payload.length + " bytes" : null) + "]";
	}

}
