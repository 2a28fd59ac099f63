package io.delayqueue.store;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import io.delayqueue.queue.RetryOverride;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a message carries besides its id and its due time.
 *
 * <p>
 * The form in Redis, readable by a human: the call token (11 characters); a JSON object
 * with the latest due time of a postponed message, the group, the headers and the retry
 * settings of the message, or nothing if there are none; a line feed; the payload as its
 * converter wrote it. The record of a message is the version byte {@code 1}, the due time
 * as 16 digits, and the envelope.
 *
 * @param token the token of the call that scheduled the message
 * @param isPostponed whether the JSON object begins with 16 digits for the latest due
 * time, which the script that stores the message fills in
 * @param group the group key, if it has one
 * @param headers the headers
 * @param retry the retry settings of the message
 * @param payload the payload; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent")
public record Envelope(String token, boolean isPostponed, @Nullable String group, Map<String, String> headers,
		RetryOverride retry, byte[] payload) {

	private static final String LATEST = "latest";

	private static final JsonMapper JSON = JsonMapper.builder().build();

	private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {
	};

	/**
	 * Creates an envelope without retry settings of its own: those of the queue apply.
	 * @param token the token of the call that scheduled the message
	 * @param group the group key, if it has one
	 * @param headers the headers
	 * @param payload the payload; not to be changed
	 */
	public Envelope(String token, @Nullable String group, Map<String, String> headers, byte[] payload) {
		this(token, false, group, headers, RetryOverride.NONE, payload);
	}

	/**
	 * The form in Redis.
	 * @return the bytes
	 */
	public byte[] toBytes() {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(this.payload.length + 64);
		bytes.writeBytes(Reply.bytes(this.token));
		if (this.isPostponed || this.group != null || !this.headers.isEmpty() || !this.retry.isNone()) {
			Map<String, Object> about = new LinkedHashMap<>();
			if (this.isPostponed) {
				about.put(LATEST, "0".repeat(16));
			}
			if (this.group != null) {
				about.put("group", this.group);
			}
			if (!this.headers.isEmpty()) {
				about.put("headers", this.headers);
			}
			if (!this.retry.isNone()) {
				about.put("retry", RetryForm.of(this.retry));
			}
			bytes.writeBytes(JSON.writeValueAsBytes(about));
		}
		bytes.write('\n');
		bytes.writeBytes(this.payload);
		return bytes.toByteArray();
	}

	/** Reads the envelope that begins at an offset. */
	static Envelope from(byte[] bytes, int offset) {
		int about = offset + CallToken.LENGTH;
		int end = about;
		while (end < bytes.length && bytes[end] != '\n') {
			end++;
		}
		if (end >= bytes.length) {
			throw new UnreadableRecordException("its record has no payload", null);
		}
		String token = new String(bytes, offset, CallToken.LENGTH, StandardCharsets.US_ASCII);
		byte[] payload = Arrays.copyOfRange(bytes, end + 1, bytes.length);
		if (end == about) {
			return new Envelope(token, null, Map.of(), payload);
		}
		try {
			Map<String, Object> values = JSON.readValue(bytes, about, end - about, OBJECT);
			if (values == null) {
				throw new UnreadableRecordException("its record's group and headers are not an object", null);
			}
			Map<String, String> headers = new LinkedHashMap<>();
			if (values.get("headers") instanceof Map<?, ?> stored) {
				stored.forEach((name, value) -> headers.put(String.valueOf(name), String.valueOf(value)));
			}
			return new Envelope(token, values.containsKey(LATEST), (String) values.get("group"),
					Collections.unmodifiableMap(headers), RetryForm.read(values.get("retry")), payload);
		}
		catch (JacksonException | ClassCastException | IllegalArgumentException problem) {
			throw new UnreadableRecordException("its record's group and headers are not readable", problem);
		}
	}

}
