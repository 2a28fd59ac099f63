package io.delayqueue.record;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The counts and the last reason of a message's failed deliveries. A message that has not
 * failed usually has no such record. The form of the record in Redis:
 * <code>failures|crashes|defers|last settled entry|reason</code>, and behind the reason a
 * {@link FailedAttempt}.
 *
 * @param failures number of deliveries whose handler failed
 * @param crashes number of deliveries whose process stopped renewing the lease
 * @param defers number of deliveries whose handler deferred the message
 * @param reason why the last failed delivery failed, {@code null} if no delivery has
 * failed
 * @param attempt where and when the last failed attempt failed, {@code null} if this is
 * unknown
 */
public record FailureRecord(int failures, int crashes, int defers, @Nullable String reason,
		@Nullable FailedAttempt attempt) {

	/** The code of the reason if the stored text has an unexpected form. */
	public static final String UNKNOWN = "UNKNOWN";

	private static final FailureRecord NONE = new FailureRecord(0, 0, 0, null);

	private static final Pattern FORM = Pattern.compile("(\\d{1,9})\\|(\\d{1,9})\\|(\\d{1,9})\\|[^|]*\\|(.*)",
			Pattern.DOTALL);

	/**
	 * Creates the record of failed deliveries without the circumstances of the last
	 * attempt.
	 * @param failures number of deliveries whose handler failed
	 * @param crashes number of deliveries whose process stopped renewing the lease
	 * @param defers number of deliveries whose handler deferred the message
	 * @param reason why the last failed delivery failed, {@code null} if none has failed
	 */
	public FailureRecord(int failures, int crashes, int defers, @Nullable String reason) {
		this(failures, crashes, defers, reason, null);
	}

	/**
	 * Reads the last failure of a message, without the counts.
	 * @param text the stored text, empty if no delivery has failed
	 * @return the failure
	 */
	public static FailureRecord last(String text) {
		return of(0, 0, 0, text);
	}

	private static FailureRecord of(int failures, int crashes, int defers, String text) {
		String reason = FailedAttempt.reasonIn(text);
		return new FailureRecord(failures, crashes, defers, reason.isEmpty() ? null : reason, FailedAttempt.in(text));
	}

	/**
	 * Reads the failure record of a message.
	 * @param bytes the record, {@code null} or empty if no delivery has failed
	 * @return the failures; if the text has an unexpected form, the whole text becomes
	 * the reason
	 */
	public static FailureRecord from(byte @Nullable [] bytes) {
		if (bytes == null || bytes.length == 0) {
			return NONE;
		}
		String text = new String(bytes, StandardCharsets.UTF_8);
		Matcher matcher = FORM.matcher(text);
		if (!matcher.matches()) {
			// Another program has written this text, which must not prevent the delivery
			// of the message
			return new FailureRecord(0, 0, 0, text);
		}
		return of(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)),
				Integer.parseInt(matcher.group(3)), matcher.group(4));
	}

	/**
	 * The reason why the last failed delivery failed.
	 *
	 * @param reason the code of the reason, {@code UNKNOWN} if the stored text has an
	 * unexpected form
	 * @param exception the class of the exception, {@code null} if there was no exception
	 * @param message the message of the exception, or another explanation
	 */
	public record Last(String reason, @Nullable String exception, String message) {
	}

	/**
	 * Returns why the last failed delivery failed.
	 * @return the reason, {@code null} if no delivery has failed
	 */
	public @Nullable Last last() {
		if (this.reason == null) {
			return null;
		}
		String[] parts = this.reason.split("\\|", 3);
		return (parts.length == 3) ? new Last(parts[0], parts[1].isEmpty() ? null : parts[1], parts[2])
				: new Last(UNKNOWN, null, this.reason);
	}

	/**
	 * Returns how many deliveries have failed.
	 * @return the number of failures and crashes
	 */
	public int attempts() {
		return this.failures + this.crashes;
	}

}
