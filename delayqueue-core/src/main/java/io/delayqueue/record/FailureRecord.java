package io.delayqueue.record;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The counts and the last reason of a message's failed deliveries. A message that has not
 * failed usually has no such record. The form of the record in Redis:
 * <code>failures|crashes|defers|last settled entry|reason</code>.
 *
 * @param failures number of deliveries whose handler failed
 * @param crashes number of deliveries whose process stopped renewing the lease
 * @param defers number of deliveries whose handler deferred the message
 * @param reason why the last failed delivery failed, {@code null} if no delivery has
 * failed
 */
public record FailureRecord(int failures, int crashes, int defers, @Nullable String reason) {

	/** The code of the reason if the stored text has an unexpected form. */
	public static final String UNKNOWN = "UNKNOWN";

	private static final FailureRecord NONE = new FailureRecord(0, 0, 0, null);

	private static final Pattern FORM = Pattern.compile("(\\d{1,9})\\|(\\d{1,9})\\|(\\d{1,9})\\|[^|]*\\|(.*)",
			Pattern.DOTALL);

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
		return new FailureRecord(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)),
				Integer.parseInt(matcher.group(3)), matcher.group(4).isEmpty() ? null : matcher.group(4));
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
