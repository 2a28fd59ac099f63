package io.delayqueue.actuate;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;

/**
 * The parameters of an operation as text, by name. A parameter that the action does not
 * accept is rejected.
 *
 * @param given the values that the caller passed
 */
record OperationParameters(Map<String, String> given) {

	static final String ID = "id";

	static final String GROUP = "group";

	static final String AT = "at";

	static final String DELAY = "delay";

	static final String NOW = "now";

	static final String REASON = "reason";

	static final String LIMIT = "limit";

	static final String WITHIN = "within";

	static final String DRY_RUN = "dryRun";

	static final String CONFIRM = "confirm";

	static final String DEAD_LETTERS = "deadLetters";

	static final String FROM = "from";

	/** The names in the order of the parameters of the endpoint's operations. */
	private static final List<String> NAMES = List.of(ID, GROUP, AT, DELAY, NOW, REASON, LIMIT, WITHIN, DRY_RUN,
			CONFIRM, DEAD_LETTERS, FROM);

	private static final int MAX_LENGTH = 100;

	/**
	 * Creates the parameters from all values that are not {@code null}.
	 * @param values a value for each parameter, in the order of the endpoint's operations
	 */
	static OperationParameters of(@Nullable Object... values) {
		Map<String, String> given = new HashMap<>();
		for (int i = 0; i < NAMES.size(); i++) {
			Object value = values[i];
			if (value != null) {
				given.put(NAMES.get(i), value.toString());
			}
		}
		return new OperationParameters(given);
	}

	boolean has(String name) {
		return this.given.containsKey(name);
	}

	/** Rejects all parameters except these. */
	void only(Set<String> names) {
		for (String name : new TreeSet<>(this.given.keySet())) {
			if (!names.contains(name)) {
				throw Parameters.invalid(name, this.given.get(name), "left out here");
			}
		}
	}

	@Nullable String text(String name) {
		return this.given.get(name);
	}

	/** The key of the message that the parameters name. */
	MessageKey key(String queue) {
		String id = this.given.get(ID);
		if (id == null) {
			throw Parameters.invalid(ID, null, "given");
		}
		return new MessageKey(queue, id, this.given.get(GROUP));
	}

	/** Returns a boolean parameter, {@code false} if it is absent. */
	boolean flag(String name) {
		String value = this.given.get(name);
		if (value == null || value.equals("false")) {
			return false;
		}
		if (value.equals("true")) {
			return true;
		}
		throw Parameters.invalid(name, value, "true or false");
	}

	/**
	 * Returns a duration in Spring's format.
	 * @throws InvalidMessageException if the value is not a duration from 0 to the
	 * longest one
	 */
	Duration duration(String name, Duration longest) {
		String value = this.given.getOrDefault(name, "");
		try {
			Duration duration = DurationStyle.detectAndParse((value.length() > MAX_LENGTH) ? "" : value);
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
		return Parameters.invalid(name, value,
				"a duration from 0 to " + longest.toDays() + " days, for example 30s, 5m or PT5M");
	}

	/** Returns an instant in ISO 8601 format. */
	Instant instant(String name) {
		String value = this.given.getOrDefault(name, "");
		try {
			return Instant.parse((value.length() > MAX_LENGTH) ? "" : value);
		}
		catch (DateTimeException broken) {
			throw Parameters.invalid(name, value, "an instant, for example 2030-01-31T09:00:00Z");
		}
	}

}
