package io.delayqueue.delivery;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a delivery, as it is stored beside the message.
 *
 * @param reason the reason
 * @param exception the exception's class, {@code null} if there was none
 * @param message the exception's message or another explanation; truncated, because it
 * may contain user input
 */
record FailureNote(FailureReason reason, @Nullable String exception, String message) {

	private static final int MOST_CHARACTERS = 500;

	FailureNote {
		message = cut(message);
	}

	/** The parts, joined by {@code |}. */
	String text() {
		return this.reason + "|" + ((this.exception != null) ? this.exception : "") + "|" + this.message;
	}

	private static String cut(String message) {
		if (message.length() <= MOST_CHARACTERS) {
			return message;
		}
		int end = Character.isHighSurrogate(message.charAt(MOST_CHARACTERS - 1)) ? MOST_CHARACTERS - 1
				: MOST_CHARACTERS;
		return message.substring(0, end) + "...";
	}

}
