package io.delayqueue.actuate;

import java.util.Locale;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Formats values for log lines, health details and problem details.
 */
final class DiagnosticText {

	private static final int MAX_LENGTH = 500;

	/** Matches user and password in an address. */
	private static final Pattern CREDENTIALS = Pattern.compile("//[^/\\s]*@");

	private DiagnosticText() {
	}

	/**
	 * Escapes, as {@code \}{@code uXXXX}, the characters that could end a log line or a
	 * quotation within the line. So the escaped text stays on one line and within its
	 * quotation marks, and contains no invisible characters.
	 */
	static String escaped(String text) {
		StringBuilder escaped = new StringBuilder();
		text.codePoints().limit(MAX_LENGTH).forEach((codePoint) -> {
			if (isPlain(codePoint)) {
				escaped.appendCodePoint(codePoint);
			}
			else {
				for (char half : Character.toChars(codePoint)) {
					escaped.append("\\u%04x".formatted((int) half));
				}
			}
		});
		return (text.codePointCount(0, text.length()) > MAX_LENGTH) ? escaped + "..." : escaped.toString();
	}

	/**
	 * Escapes, as {@code \}{@code uXXXX}, the characters that could end a log line, for a
	 * text without quotation marks around it.
	 */
	static String line(String text) {
		return escaped(text).replace("\\u0027", "'");
	}

	private static boolean isPlain(int codePoint) {
		return switch (Character.getType(codePoint)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE, Character.UNASSIGNED, Character.PRIVATE_USE ->
				false;
			default -> codePoint != '\'' && codePoint != '\\';
		};
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
		return (reason.length() > MAX_LENGTH) ? reason.substring(0, MAX_LENGTH) + "..." : reason;
	}

	/** Formats the name of an enum constant in lower case, with dashes. */
	static String word(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
