package io.delayqueue;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a listener to hold its queue, or the group of its message: for a time no
 * process delivers messages of that queue or group. A listener may do so, for example,
 * while a service that it calls is overloaded or not available:
 *
 * <pre class="code">
 * if (response.statusCode() == 429) {
 *     throw HoldException.queueRetryAfter(response.header("Retry-After"), Duration.ofMinutes(1), "429 Too Many Requests");
 * }
 * </pre>
 *
 * <p>
 * The message of the listener is deferred until the end of the hold; this deferral counts
 * towards the {@code max-defers} of the message. A hold does not affect running handlers.
 * A hold lasts at most the queue's {@code max-hold}. If a queue or a group has several
 * holds, the hold that ends last applies, so a handler never shortens a hold. An operator
 * can end a hold. If the message has no group, an exception that would hold the group
 * merely defers the message.
 *
 * <p>
 * A duration of zero or less, or an end in the past, states no time: then the hold lasts
 * as long as the wait of the message's back-off. A hold lasts at least 100 ms.
 */
public final class HoldException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/** The formats of a date in HTTP, see RFC 9110, 5.6.7. */
	private static final List<DateTimeFormatter> HTTP_DATES = List.of(
			DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH),
			DateTimeFormatter.ofPattern("EEEE, dd-MMM-yy HH:mm:ss 'GMT'", Locale.ENGLISH),
			DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ENGLISH));

	private static final int MAX_DIGITS = 18;

	private final boolean ofQueue;

	private final @Nullable Duration duration;

	private final @Nullable Instant until;

	private final @Nullable Duration otherwise;

	private final String why;

	private HoldException(boolean ofQueue, @Nullable Duration duration, @Nullable Instant until,
			@Nullable Duration otherwise, String why) {
		super((ofQueue ? "The queue is held " : "The group is held ")
				+ ((duration != null) ? "for " + DurationText.of(duration) : "until " + until)
				+ (why.isEmpty() ? "" : ": " + why), null, false, false);
		this.ofQueue = ofQueue;
		this.duration = duration;
		this.until = until;
		this.otherwise = otherwise;
		this.why = why;
	}

	/**
	 * Creates an exception that holds the queue for a time.
	 * @param duration the length of the hold, by the clock of Redis; zero or less for the
	 * wait of the message's back-off
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the exception, without a stack trace
	 */
	public static HoldException queue(Duration duration, String why) {
		return new HoldException(true, Rules.hold(duration), null, null, Rules.why(why));
	}

	/**
	 * Creates an exception that holds the queue until an instant.
	 * @param until the end of the hold, by the clock of Redis; an end in the past for the
	 * wait of the message's back-off
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the exception, without a stack trace
	 * @throws InvalidMessageException if the instant is before 1970 or after 9999
	 */
	public static HoldException queue(Instant until, String why) {
		return new HoldException(true, null, Rules.until(until), null, Rules.why(why));
	}

	/**
	 * Creates an exception that holds the queue for the time that an HTTP response
	 * requests.
	 * @param retryAfter the value of the header {@code Retry-After}: seconds or a date
	 * @param otherwise the length of the hold if the header is missing or malformed, is
	 * 0, or names a date in the past; zero or less for the wait of the message's back-off
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the exception, without a stack trace
	 */
	public static HoldException queueRetryAfter(@Nullable String retryAfter, Duration otherwise, String why) {
		return retryAfter(true, retryAfter, otherwise, why);
	}

	/**
	 * Creates an exception that holds the group of the message for a time.
	 * @param duration the length of the hold, by the clock of Redis; zero or less for the
	 * wait of the message's back-off
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the exception, without a stack trace
	 */
	public static HoldException group(Duration duration, String why) {
		return new HoldException(false, Rules.hold(duration), null, null, Rules.why(why));
	}

	/**
	 * Creates an exception that holds the group of the message until an instant.
	 * @param until the end of the hold, by the clock of Redis; an end in the past for the
	 * wait of the message's back-off
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the exception, without a stack trace
	 * @throws InvalidMessageException if the instant is before 1970 or after 9999
	 */
	public static HoldException group(Instant until, String why) {
		return new HoldException(false, null, Rules.until(until), null, Rules.why(why));
	}

	/**
	 * Creates an exception that holds the group of the message for the time that an HTTP
	 * response requests.
	 * @param retryAfter the value of the header {@code Retry-After}: seconds or a date
	 * @param otherwise the length of the hold if the header is missing or malformed, is
	 * 0, or names a date in the past; zero or less for the wait of the message's back-off
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the exception, without a stack trace
	 */
	public static HoldException groupRetryAfter(@Nullable String retryAfter, Duration otherwise, String why) {
		return retryAfter(false, retryAfter, otherwise, why);
	}

	private static HoldException retryAfter(boolean ofQueue, @Nullable String retryAfter, Duration otherwise,
			String why) {
		Duration fallback = Rules.hold(otherwise);
		String value = (retryAfter != null) ? retryAfter.strip() : "";
		if (!value.isEmpty() && value.chars().allMatch((digit) -> digit >= '0' && digit <= '9')) {
			long seconds = Long.parseLong(value.substring(Math.max(0, value.length() - MAX_DIGITS)));
			boolean fits = value.length() <= MAX_DIGITS && seconds <= Rules.LONGEST_HOLD.toSeconds();
			Duration stated = fits ? Duration.ofSeconds(seconds) : Rules.LONGEST_HOLD;
			return new HoldException(ofQueue, stated.isZero() ? fallback : stated, null, null, Rules.why(why));
		}
		Instant until = httpDate(value);
		return new HoldException(ofQueue, (until != null) ? null : fallback, until, fallback, Rules.why(why));
	}

	private static @Nullable Instant httpDate(String value) {
		for (DateTimeFormatter form : HTTP_DATES) {
			try {
				return Rules.until(LocalDateTime.parse(value, form).toInstant(ZoneOffset.UTC));
			}
			catch (DateTimeException | InvalidMessageException otherForm) {
				// Try the next of the three date formats
			}
		}
		return null;
	}

	/**
	 * Returns whether the exception holds the queue, and not the group of the message.
	 * @return {@code true} for the queue, {@code false} for the group
	 */
	public boolean isOfQueue() {
		return this.ofQueue;
	}

	/**
	 * Returns how long the hold of the queue or group lasts.
	 * @return the duration, 0 for the wait of the message's back-off, {@code null} if the
	 * exception has an {@link #until()} instead
	 */
	public @Nullable Duration duration() {
		return this.duration;
	}

	/**
	 * {@return when the hold of the queue or group ends, {@code null} if the exception
	 * has a {@link #duration()} instead}
	 */
	public @Nullable Instant until() {
		return this.until;
	}

	/**
	 * {@return the length of the hold if {@link #until()} has passed, {@code null} for
	 * the wait of the message's back-off}
	 */
	public @Nullable Duration otherwise() {
		return this.otherwise;
	}

	/**
	 * Returns the reason of the hold.
	 * @return a text of at most 500 characters without control characters, may be empty
	 */
	public String why() {
		return this.why;
	}

}
