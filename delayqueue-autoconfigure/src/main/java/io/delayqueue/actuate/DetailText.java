package io.delayqueue.actuate;

import java.util.Locale;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * How health words its details.
 */
final class DetailText {

	private static final int LONGEST_REASON = 500;

	/** User and password of an address. */
	private static final Pattern CREDENTIALS = Pattern.compile("//[^/\\s]*@");

	private DetailText() {
	}

	/** Why something failed: one short line without a stack trace and without secrets. */
	static String reason(@Nullable Throwable failure) {
		if (failure == null) {
			return "unknown";
		}
		String type = failure.getClass().getSimpleName();
		String message = failure.getMessage();
		String reason = (message == null) ? type
				: type + ": " + CREDENTIALS.matcher(message.lines().findFirst().orElse("")).replaceAll("//***@");
		return (reason.length() > LONGEST_REASON) ? reason.substring(0, LONGEST_REASON) + "..." : reason;
	}

	static String word(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

}
