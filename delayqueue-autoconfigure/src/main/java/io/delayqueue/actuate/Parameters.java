package io.delayqueue.actuate;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DeadLetterEdit;
import io.delayqueue.operate.MessagePages.Search;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.convert.DurationStyle;

/**
 * The parameters of a request as text, by name. The methods throw
 * {@link InvalidMessageException} if a value is invalid.
 *
 * @param given the values that the caller passed, by parameter name
 */
record Parameters(Map<String, String> given) {

	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.build();

	private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {
	};

	private static final String HEADERS = "a JSON object of texts, with null for each header to remove";

	private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

	private static final Pattern NO_UNIT = Pattern.compile("[+-]?\\d*");

	private static final int MAX_LENGTH = 100;

	private static final int SHOWN = 60;

	/**
	 * Creates the parameters from all values that are not {@code null}.
	 * @param namesAndValues each name, followed by its value
	 */
	static Parameters of(@Nullable Object... namesAndValues) {
		Map<String, String> given = new HashMap<>();
		for (int i = 0; i < namesAndValues.length; i += 2) {
			Object value = namesAndValues[i + 1];
			if (value != null) {
				given.put(String.valueOf(namesAndValues[i]), value.toString());
			}
		}
		return new Parameters(given);
	}

	/** Returns these parameters with another value of a number. */
	Parameters with(String name, int value) {
		Map<String, String> changed = new HashMap<>(this.given);
		changed.put(name, Integer.toString(value));
		return new Parameters(changed);
	}

	boolean has(String name) {
		return this.given.containsKey(name);
	}

	/**
	 * Rejects the request if it has a parameter whose name is not among the accepted
	 * names.
	 */
	void only(Collection<String> accepted) {
		for (String name : new TreeSet<>(this.given.keySet())) {
			if (!accepted.contains(name)) {
				throw invalid(name, this.given.get(name), "left out here, where " + (accepted.isEmpty()
						? "there are no parameters" : "the parameters are " + String.join(", ", accepted)));
			}
		}
	}

	@Nullable String text(String name) {
		return this.given.get(name);
	}

	/** Returns what to change of a dead letter. */
	DeadLetterEdit edit() {
		DeadLetterEdit edit = DeadLetterEdit.none();
		if (has("newId")) {
			edit = edit.id(String.valueOf(checked("newId")));
		}
		for (Map.Entry<String, Object> header : headers().entrySet()) {
			edit = with(edit, header.getKey(), header.getValue());
		}
		byte[] payload = payload();
		return (payload != null) ? edit.payload(payload) : edit;
	}

	private Map<String, Object> headers() {
		String headers = this.given.getOrDefault("headers", "{}");
		try {
			Map<String, Object> read = JSON.readValue(headers, OBJECT);
			if (read != null) {
				return read;
			}
		}
		catch (JacksonException broken) {
			throw invalid("headers", headers, HEADERS);
		}
		throw invalid("headers", headers, HEADERS);
	}

	private static DeadLetterEdit with(DeadLetterEdit edit, String name, @Nullable Object value) {
		if (value == null) {
			return edit.withoutHeader(name);
		}
		if (!(value instanceof String text)) {
			throw invalid("headers", name, HEADERS);
		}
		if (text.equals(MaskedContent.HIDDEN)) {
			throw invalid("headers", name, "left out if they are hidden: they keep their values");
		}
		try {
			return edit.header(name, text);
		}
		catch (InvalidMessageException invalid) {
			throw new InvalidMessageException("headers", invalid.rule(), invalid);
		}
	}

	private byte @Nullable [] payload() {
		String payload = this.given.get("payload");
		String encoding = this.given.getOrDefault("encoding", "text");
		if (!encoding.equals("text") && !encoding.equals("base64")) {
			throw invalid("encoding", encoding, "text or base64");
		}
		if (payload == null) {
			return null;
		}
		try {
			return encoding.equals("text") ? payload.getBytes(StandardCharsets.UTF_8)
					: Base64.getDecoder().decode(payload);
		}
		catch (IllegalArgumentException broken) {
			throw invalid("payload", "not Base64", "Base64, because of the encoding");
		}
	}

	/**
	 * Returns the key of the message that the parameters {@code id} and {@code group}
	 * identify.
	 */
	MessageKey key(String queue) {
		String id = this.given.get("id");
		if (id == null) {
			throw invalid("id", null, "given");
		}
		return new MessageKey(queue, id, this.given.get("group"));
	}

	MessageState state() {
		String state = this.given.get("state");
		for (MessageState known : MessageState.values()) {
			if (known.name().equalsIgnoreCase(state) && known != MessageState.FINISHED) {
				return known;
			}
		}
		throw invalid("state", state, "SCHEDULED, PARKED, READY, PENDING or DEAD");
	}

	/** Returns how messages are selected by their groups, ids or failures. */
	Search search() {
		if (has("group") && has("groupPrefix")) {
			throw invalid("groupPrefix", this.given.get("groupPrefix"), "left out with group");
		}
		return new Search(checked("group"), checked("groupPrefix"), checked("idPrefix"),
				has("retries") ? flag("retries") : null);
	}

	/** Returns a parameter that may be an id or a group, or begin one. */
	private @Nullable String checked(String name) {
		String value = this.given.get(name);
		try {
			return (value != null) ? MessageKey.of("queue", value).id() : null;
		}
		catch (InvalidMessageException invalid) {
			throw new InvalidMessageException(name, invalid.rule(), invalid);
		}
	}

	/**
	 * Returns the reason that the selected dead letters have, {@code null} if dead
	 * letters with any reason are selected.
	 */
	@Nullable String reason() {
		String reason = this.given.get("reason");
		if (reason == null || DeadLetter.REASONS.contains(reason)) {
			return reason;
		}
		throw invalid("reason", reason, "one of " + String.join(", ", DeadLetter.REASONS));
	}

	int limit(int defaultLimit, int maxLimit) {
		int limit = number("limit", defaultLimit, maxLimit);
		if (limit >= 1 && limit <= maxLimit) {
			return limit;
		}
		throw invalid("limit", this.given.get("limit"), "from 1 to " + maxLimit);
	}

	/**
	 * Returns the value of a numeric parameter. The caller must check the bounds of this
	 * value.
	 */
	int number(String name, int defaultValue, int maxValue) {
		String value = this.given.get(name);
		if (value == null) {
			return defaultValue;
		}
		if (NUMBER.matcher(value).matches()) {
			return Integer.parseInt(value);
		}
		throw invalid(name, value, "from 1 to " + maxValue);
	}

	/** Returns a boolean parameter, {@code false} if it is absent. */
	boolean flag(String name) {
		String value = this.given.getOrDefault(name, "false");
		if (!value.equals("true") && !value.equals("false")) {
			throw invalid(name, value, "true or false");
		}
		return value.equals("true");
	}

	/**
	 * Returns the value of a duration parameter in Spring's format, from 0 to
	 * {@code longest}. A number without a unit, which Spring reads as milliseconds, is
	 * invalid.
	 */
	Duration duration(String name, Duration longest) {
		String value = this.given.getOrDefault(name, "");
		try {
			Duration duration = DurationStyle
				.detectAndParse((value.length() > MAX_LENGTH || NO_UNIT.matcher(value).matches()) ? "" : value);
			if (!duration.isNegative() && duration.compareTo(longest) <= 0) {
				return duration;
			}
		}
		catch (IllegalArgumentException | ArithmeticException | DateTimeException broken) {
			throw invalidDuration(name, value, longest);
		}
		throw invalidDuration(name, value, longest);
	}

	private static InvalidMessageException invalidDuration(String name, String value, Duration longest) {
		return invalid(name, value,
				"a duration from 0 to " + longest.toDays() + " days with its unit, for example 30s or PT30S");
	}

	/** Returns the value of a parameter that is an instant in ISO 8601 format. */
	Instant instant(String name) {
		String value = this.given.getOrDefault(name, "");
		try {
			return Instant.parse((value.length() > MAX_LENGTH) ? "" : value);
		}
		catch (DateTimeException broken) {
			throw invalid(name, value, "an instant, for example 2030-01-31T09:00:00Z");
		}
	}

	static InvalidMessageException invalid(String name, @Nullable String value, String rule) {
		String shown = String.valueOf(value).replaceAll("[^\\x20-\\x7e]", "?");
		return new InvalidMessageException(name, (shown.length() > SHOWN) ? shown.substring(0, SHOWN) + "..." : shown,
				rule);
	}

}
