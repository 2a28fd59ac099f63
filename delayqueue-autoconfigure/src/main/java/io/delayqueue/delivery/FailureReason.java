package io.delayqueue.delivery;

/**
 * Why a delivery failed, as it is kept beside the message: a word for the kind, the
 * exception's class, and its message, cut short because it may hold what users typed. The
 * parts are joined by {@code |}.
 */
enum FailureReason {

	/** The handler threw, for the last time that it may. */
	HANDLER_FAILED,

	/** The handler threw what is never retried. */
	NEVER_RETRIED,

	/** The message cannot be converted to what the listener takes. */
	UNREADABLE,

	/** The handler has deferred the message too often. */
	DEFERRED_TOO_OFTEN,

	/** The process fell silent while it had the message, too often. */
	CRASHED;

	private static final int MOST_CHARACTERS = 500;

	/** The form for a failure. */
	String of(Throwable failure) {
		return name() + "|" + failure.getClass().getName() + "|" + cut(String.valueOf(failure.getMessage()));
	}

	/** The form without an exception. */
	String because(String why) {
		return name() + "||" + why;
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
