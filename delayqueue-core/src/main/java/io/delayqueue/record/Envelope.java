package io.delayqueue.record;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.RetryOverride;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * The content of a message, except its id and its due time.
 *
 * <p>
 * The form of an envelope in Redis, readable by a human: the call token (11 characters);
 * a JSON object with the latest due time of a postponed message, the group, the headers,
 * the retry settings and the creation, or nothing if the message has none of these; a
 * line feed; the bytes that the payload converter wrote. The record of a message is the
 * version byte {@code 1}, the due time as 16 digits, and the envelope.
 *
 * @param token the token of the call that scheduled the message
 * @param isPostponed whether the JSON object begins with the latest due time to which the
 * message may be postponed: 16 digits that the script fills in when it stores the message
 * @param group the group key, {@code null} if the message has no group
 * @param headers the headers
 * @param retry the retry settings of the message
 * @param created when and by which process the message was created, {@code null} unless
 * its queue keeps a history
 * @param payload the payload, which must not be changed
 */
@SuppressWarnings("ArrayRecordComponent")
public record Envelope(String token, boolean isPostponed, @Nullable String group, Map<String, String> headers,
		RetryOverride retry, @Nullable Creation created, byte[] payload) {

	/**
	 * When and by which process a message was created.
	 *
	 * @param at the time, by the clock of this process
	 * @param by the name of the process
	 */
	public record Creation(Instant at, String by) {
	}

	private static final String LATEST = "latest";

	private static final JsonMapper JSON = JsonMapper.builder().build();

	private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {
	};

	/**
	 * Creates an envelope without retry settings, so that the retry settings of the queue
	 * apply.
	 * @param token the token of the call that scheduled the message
	 * @param group the group key, {@code null} if the message has no group
	 * @param headers the headers
	 * @param payload the payload, which must not be changed
	 */
	public Envelope(String token, @Nullable String group, Map<String, String> headers, byte[] payload) {
		this(token, false, group, headers, RetryOverride.NONE, null, payload);
	}

	/**
	 * Returns the envelope as stored in Redis.
	 * @return the bytes
	 */
	public byte[] toBytes() {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(this.payload.length + 64);
		bytes.writeBytes(this.token.getBytes(StandardCharsets.US_ASCII));
		if (this.isPostponed || this.group != null || !this.headers.isEmpty() || !this.retry.isNone()
				|| this.created != null) {
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
			if (this.created != null) {
				about.put("at", this.created.at().toEpochMilli());
				about.put("by", this.created.by());
			}
			bytes.writeBytes(JSON.writeValueAsBytes(about));
		}
		bytes.write('\n');
		bytes.writeBytes(this.payload);
		return bytes.toByteArray();
	}

	/** Reads the envelope that begins at an offset of a message record. */
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
					Collections.unmodifiableMap(headers), RetryForm.read(values.get("retry")), creation(values),
					payload);
		}
		catch (JacksonException | ClassCastException | IllegalArgumentException problem) {
			throw new UnreadableRecordException("its record's group and headers are not readable", problem);
		}
	}

	private static @Nullable Creation creation(Map<String, Object> values) {
		return (values.get("at") instanceof Number at && values.get("by") instanceof String by)
				? new Creation(Instant.ofEpochMilli(at.longValue()), by) : null;
	}

	/**
	 * Reads and writes the retry settings of a message in the form in which Redis stores
	 * them: a JSON object with {@code maxAttempts} and {@code backOff}, each of which may
	 * be absent, and times in ms.
	 */
	private static final class RetryForm {

		static Map<String, Object> of(RetryOverride retry) {
			Map<String, Object> form = new LinkedHashMap<>();
			if (retry.maxAttempts() != null) {
				form.put("maxAttempts", retry.maxAttempts());
			}
			BackOffPolicy backOff = retry.backOff();
			if (backOff != null) {
				form.put("backOff", form(backOff));
			}
			return form;
		}

		private static Map<String, Object> form(BackOffPolicy backOff) {
			Map<String, Object> form = new LinkedHashMap<>();
			form.put("delays", backOff.delays().stream().map(Duration::toMillis).toList());
			form.put("first", backOff.first().toMillis());
			form.put("step", backOff.step().toMillis());
			form.put("multiplier", backOff.multiplier());
			form.put("max", backOff.max().toMillis());
			form.put("jitter", backOff.jitter());
			return form;
		}

		/**
		 * Reads the retry settings of a message.
		 * @throws ClassCastException if the settings have another form
		 * @throws IllegalArgumentException if a value is out of its bounds
		 */
		static RetryOverride read(@Nullable Object form) {
			if (form == null) {
				return RetryOverride.NONE;
			}
			Map<?, ?> values = (Map<?, ?>) form;
			Number maxAttempts = (Number) values.get("maxAttempts");
			return new RetryOverride((maxAttempts != null) ? maxAttempts.intValue() : null,
					backOff(values.get("backOff")));
		}

		private static @Nullable BackOffPolicy backOff(@Nullable Object form) {
			if (form == null) {
				return null;
			}
			Map<?, ?> values = (Map<?, ?>) form;
			List<Duration> delays = ((List<?>) required(values, "delays")).stream().map(RetryForm::millis).toList();
			return new BackOffPolicy(delays, millis(required(values, "first")), millis(required(values, "step")),
					((Number) required(values, "multiplier")).doubleValue(), millis(required(values, "max")),
					((Number) required(values, "jitter")).doubleValue());
		}

		private static Object required(Map<?, ?> values, String name) {
			Object value = values.get(name);
			if (value == null) {
				throw new IllegalArgumentException("back-off has no " + name);
			}
			return value;
		}

		private static Duration millis(Object number) {
			return Duration.ofMillis(((Number) number).longValue());
		}

	}

}
