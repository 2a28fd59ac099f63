package io.delayqueue.actuate;

import java.util.Locale;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Formats values for health details.
 */
final class DetailText {

	private static final int MAX_REASON_LENGTH = 500;

	/** User and password of an address. */
	private static final Pattern CREDENTIALS = Pattern.compile("//[^/\\s]*@");

	private DetailText() {
	}

	/** Describes a failure in one short line without stack trace and credentials. */
	static String reason(@Nullable Throwable failure) {
		if (failure == null) {
			return "unknown";
		}
		String type = failure.getClass().getSimpleName();
		String message = failure.getMessage();
		String reason = (message == null) ? type
				: type + ": " + CREDENTIALS.matcher(message.lines().findFirst().orElse("")).replaceAll("//***@");
		return (reason.length() > MAX_REASON_LENGTH) ? reason.substring(0, MAX_REASON_LENGTH) + "..." : reason;
	}

	static String word(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

}
