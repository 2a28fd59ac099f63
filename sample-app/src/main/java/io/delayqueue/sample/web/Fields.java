package io.delayqueue.sample.web;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Validates the fields of requests. Each method returns the checked value, or throws an
 * {@link org.springframework.web.ErrorResponseException} with status 400 and type {@code
 * invalid-request}.
 */
public final class Fields {

	private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._:-]{1,200}");

	private static final int LONGEST_TEXT = 10_000;

	/**
	 * Parses an instant with any form of offset: {@code Z}, {@code +02}, {@code +0200},
	 * {@code +02:00}.
	 */
	private static final DateTimeFormatter INSTANT = new DateTimeFormatterBuilder()
		.append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
		.parseLenient()
		.appendOffset("+HH", "Z")
		.toFormatter()
		.withResolverStyle(ResolverStyle.STRICT);

	private static final Instant EARLIEST = Instant.parse("0000-01-01T00:00:00Z");

	private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

	private Fields() {
	}

	/**
	 * Checks an id or a name.
	 * @param field the name of the field in the request
	 * @param name the value: 1 to 200 characters of {@code [A-Za-z0-9._:-]}
	 * @return the name
	 */
	public static String name(String field, @Nullable String name) {
		if (name == null || !NAME.matcher(name).matches()) {
			throw Problems.invalid(field, name, "1 to 200 characters of [A-Za-z0-9._:-]");
		}
		return name;
	}

	/**
	 * Checks a free text.
	 * @param field the name of the field in the request
	 * @param text the value: at most 10,000 characters
	 * @return the text
	 */
	public static String text(String field, @Nullable String text) {
		if (text == null || text.length() > LONGEST_TEXT) {
			throw Problems.invalid(field, text, "at most " + LONGEST_TEXT + " characters");
		}
		return text;
	}

	/**
	 * Checks a duration.
	 * @param field the name of the field in the request
	 * @param text the value, ISO-8601
	 * @param shortest the minimum
	 * @param longest the maximum
	 * @return the duration
	 */
	public static Duration duration(String field, String text, Duration shortest, Duration longest) {
		try {
			Duration duration = Duration.parse(text);
			if (duration.compareTo(shortest) >= 0 && duration.compareTo(longest) <= 0) {
				return duration;
			}
		}
		catch (DateTimeParseException ex) {
			// the invalid value is reported below
		}
		throw Problems.invalid(field, text,
				"an ISO-8601 duration from " + shortest + " to " + longest + ", for example PT15M or PT1.5S");
	}

	/**
	 * Checks an instant.
	 * @param field the name of the field in the request
	 * @param text the value, ISO-8601 with any offset
	 * @return the instant, rounded up to whole milliseconds
	 */
	public static Instant instant(String field, @Nullable String text) {
		try {
			if (text != null) {
				Instant instant = OffsetDateTime.parse(text, INSTANT).toInstant().plusNanos(999_999);
				if (instant.isAfter(EARLIEST) && instant.isBefore(LATEST)) {
					return instant.truncatedTo(ChronoUnit.MILLIS);
				}
			}
		}
		catch (DateTimeException ex) {
			// the invalid value is reported below
		}
		throw Problems.invalid(field, text,
				"an ISO-8601 instant of the years 0 to 9999 with its offset, for example 2030-01-31T08:00:00+01:00");
	}

	/**
	 * Checks the maximum number of entries on a page.
	 * @param field the name of the field in the request
	 * @param limit the value: 1 to 1,000
	 * @return the limit
	 */
	public static int limit(String field, int limit) {
		if (limit < 1 || limit > 1000) {
			throw Problems.invalid(field, limit, "from 1 to 1000");
		}
		return limit;
	}

}
