package io.delayqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Checks the arguments of the API. The exception of a failed check contains the name of
 * the argument, its value and its limit.
 */
final class Rules {

	private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

	private static final int MAX_CODE_POINTS = 200;

	private static final int MAX_RECURRING_KEY = 150;

	private static final String WELL_FORMED = " code points of well-formed text without control characters";

	private static final int MAX_HEADERS = 64;

	private static final int MAX_HEADER_VALUE = 8192;

	private static final int MAX_ATTEMPTS = 10_000;

	private static final int MAX_DELAYS = 100;

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(3650);

	/**
	 * The longest duration of a hold; a longer duration is shortened to this limit. For a
	 * hold that a handler requests, the shorter {@code max-hold} of the queue applies.
	 */
	static final Duration LONGEST_HOLD = LONGEST;

	private static final int MAX_WHY = 500;

	private static final int SHOWN = 60;

	/** The latest instant that the API accepts. */
	static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

	private Rules() {
	}

	static String queue(@Nullable String queue) {
		if (queue == null || !QUEUE.matcher(queue).matches()) {
			throw invalid("queue", queue, "1 to 100 characters of [A-Za-z0-9._-], the first one a letter or a digit");
		}
		return queue;
	}

	static String id(@Nullable String id) {
		return text("id", id);
	}

	static String group(@Nullable String group) {
		return text("group", group);
	}

	/**
	 * Checks the key of a recurring schedule. Keys are shorter than message ids, because
	 * the id of an occurrence is the key, {@code @} and an instant.
	 */
	static String recurringKey(@Nullable String key) {
		if (key == null || !isText(key, MAX_RECURRING_KEY) || key.indexOf('@') >= 0) {
			throw invalid("key", key, "1 to " + MAX_RECURRING_KEY + WELL_FORMED + " and without @");
		}
		return key;
	}

	static Object payload(@Nullable Object payload) {
		if (payload == null) {
			throw invalid("payload", null, "a value that can be written as JSON");
		}
		return payload;
	}

	static Map<String, String> header(Map<String, String> known, @Nullable String name, @Nullable String value) {
		text("header name", name);
		if (value == null || value.length() > MAX_HEADER_VALUE || !wellFormed(value)) {
			throw invalid("header '" + shown(name) + "'", value,
					"well-formed text of at most " + MAX_HEADER_VALUE + " characters, not null");
		}
		if (known.size() >= MAX_HEADERS && !known.containsKey(name)) {
			throw invalid("headers", name, "at most " + MAX_HEADERS + " headers");
		}
		return known;
	}

	static Duration delay(@Nullable Duration delay) {
		if (delay == null || delay.isNegative()) {
			throw invalid("delay", delay, "a duration of 0 or more");
		}
		return delay;
	}

	/**
	 * Shortens the duration of a hold to {@link #LONGEST_HOLD}.
	 */
	static Duration hold(@Nullable Duration duration) {
		Duration wait = wait("duration", duration);
		return (wait.compareTo(LONGEST_HOLD) > 0) ? LONGEST_HOLD : wait;
	}

	/**
	 * Replaces a negative wait, which a handler computes from a time in the past, by 0.
	 */
	static Duration wait(String field, @Nullable Duration wait) {
		if (wait == null) {
			throw invalid(field, null, "a duration");
		}
		return wait.isNegative() ? Duration.ZERO : wait;
	}

	static Instant until(@Nullable Instant until) {
		return instant("until", until);
	}

	/**
	 * Shortens the reason of a hold, and replaces characters that could forge a log line.
	 */
	static String why(@Nullable String why) {
		if (why == null) {
			throw invalid("why", null, "a text, which may be empty");
		}
		StringBuilder kept = new StringBuilder();
		why.strip()
			.codePoints()
			.limit(MAX_WHY)
			.forEach((codePoint) -> kept.appendCodePoint(isPlain(codePoint) ? codePoint : ' '));
		return kept.toString();
	}

	private static boolean isPlain(int codePoint) {
		return !Character.isISOControl(codePoint) && Character.getType(codePoint) != Character.SURROGATE
				&& Character.getType(codePoint) != Character.FORMAT
				&& Character.getType(codePoint) != Character.LINE_SEPARATOR
				&& Character.getType(codePoint) != Character.PARAGRAPH_SEPARATOR;
	}

	static Throwable cause(@Nullable Throwable cause) {
		if (cause == null) {
			throw invalid("cause", null, "the cause of the message's failure");
		}
		return cause;
	}

	static Instant dueAt(@Nullable Instant dueAt) {
		return instant("dueAt", dueAt);
	}

	static Instant expiresAt(@Nullable Instant expiresAt) {
		return instant("expiresAt", expiresAt);
	}

	static Instant instant(String field, @Nullable Instant instant) {
		if (instant == null || instant.isBefore(Instant.EPOCH) || instant.isAfter(LATEST)) {
			throw invalid(field, instant, "an instant from 1970-01-01T00:00:00Z to " + LATEST);
		}
		return instant;
	}

	static Duration window(@Nullable Duration within) {
		if (within == null || within.isNegative()) {
			throw invalid("within", within, "a duration of 0 or more");
		}
		return within;
	}

	/**
	 * Checks that the due time is not after the expiry: a message that expires before it
	 * is due could not be handled.
	 */
	static void expiry(@Nullable Instant dueAt, @Nullable Duration within, @Nullable Instant expiresAt) {
		if (dueAt == null || expiresAt == null) {
			return;
		}
		if (expiresAt.isBefore(dueAt)) {
			throw invalid("expiresAt", expiresAt, "at or after dueAt, which is " + dueAt);
		}
		if (within != null && within.compareTo(Duration.between(dueAt, expiresAt)) > 0) {
			throw invalid("within", within, "at most " + DurationText.of(Duration.between(dueAt, expiresAt))
					+ ", the time from dueAt to expiresAt");
		}
	}

	/** Checks that a duration is from 1 ms to 3,650 days. */
	static Duration within(String field, @Nullable Duration duration) {
		if (duration == null || duration.compareTo(SHORTEST) < 0 || duration.compareTo(LONGEST) > 0) {
			throw invalid(field, duration, "a duration from 1 ms to " + LONGEST.toDays() + " days");
		}
		return duration;
	}

	static DuplicatePolicy onDuplicate(@Nullable DuplicatePolicy policy) {
		if (policy == null) {
			throw invalid("onDuplicate", null, "a policy");
		}
		return policy;
	}

	static int maxAttempts(int maxAttempts) {
		if (maxAttempts < 1 || maxAttempts > MAX_ATTEMPTS) {
			throw invalid("maxAttempts", maxAttempts, "from 1 to " + MAX_ATTEMPTS);
		}
		return maxAttempts;
	}

	static BackOffPolicy backOff(@Nullable BackOffPolicy backOff) {
		if (backOff == null || backOff.delays().size() > MAX_DELAYS) {
			throw invalid("backOff", backOff, "a policy with a list of at most " + MAX_DELAYS + " delays");
		}
		return backOff;
	}

	private static String text(String field, @Nullable String value) {
		if (value == null || !isText(value, MAX_CODE_POINTS)) {
			throw invalid(field, value, "1 to " + MAX_CODE_POINTS + WELL_FORMED);
		}
		return value;
	}

	private static boolean isText(String value, int most) {
		return !value.isEmpty() && wellFormed(value) && value.codePointCount(0, value.length()) <= most
				&& value.codePoints().noneMatch(Character::isISOControl);
	}

	/**
	 * Returns {@code false} for a text with lone surrogates, which have no UTF-8 form and
	 * would be read back changed.
	 */
	private static boolean wellFormed(String value) {
		return value.codePoints()
			.noneMatch((codePoint) -> codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE);
	}

	static InvalidMessageException invalid(String field, @Nullable Object value, String limit) {
		return new InvalidMessageException(field, shown(value), limit);
	}

	/**
	 * Returns a value as text for an exception message, shortened and without control
	 * characters, which could forge a log line.
	 */
	private static String shown(@Nullable Object value) {
		if (value == null) {
			return "null";
		}
		StringBuilder shown = new StringBuilder();
		String text = (value instanceof Duration duration) ? DurationText.of(duration) : value.toString();
		text.codePoints()
			.limit(SHOWN + 1L)
			.forEach((codePoint) -> shown.appendCodePoint(Character.isISOControl(codePoint) ? '\uFFFD' : codePoint));
		int end = shown.offsetByCodePoints(0, Math.min(SHOWN, shown.codePointCount(0, shown.length())));
		return (end < shown.length()) ? shown.substring(0, end) + "..." : shown.toString();
	}

}
