package io.delayqueue.delivery;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a delivery, in the form in which Redis stores the failure with the
 * message.
 *
 * @param reason the kind of failure
 * @param exception the class of the exception, {@code null} if there was no exception
 * @param message the message of the exception or another explanation; cut after 500
 * characters, because the text may contain user input
 */
record FailureNote(Reason reason, @Nullable String exception, String message) {

	private static final int MOST_CHARACTERS = 500;

	FailureNote {
		message = cut(message, MOST_CHARACTERS);
	}

	/** The reason why a delivery failed. */
	enum Reason {

		/**
		 * The handler failed with an exception, or the outcome of its call could not be
		 * decided.
		 */
		HANDLER_FAILED,

		/** The handler threw an exception that is never retried. */
		NEVER_RETRIED,

		/** The handler exceeded its timeout. */
		TIMED_OUT,

		/** The payload cannot be converted to the type of the listener's parameter. */
		UNREADABLE,

		/** The handler has deferred the message too often. */
		DEFERRED_TOO_OFTEN,

		/** The consumers of the message stopped renewing its lease too many times. */
		CRASHED,

		/**
		 * The message expired before its attempt began. This reason does not count as a
		 * failure.
		 */
		EXPIRED;

		/** Describes a failure by its exception. */
		FailureNote of(Throwable failure) {
			return new FailureNote(this, failure.getClass().getName(), String.valueOf(failure.getMessage()));
		}

		/** Describes a failure without an exception. */
		FailureNote because(String why) {
			return new FailureNote(this, null, why);
		}

	}

	/**
	 * Returns the reason, the exception and the message of this failure, joined by
	 * {@code |}.
	 */
	String text() {
		return this.reason + "|" + ((this.exception != null) ? this.exception : "") + "|" + this.message;
	}

	/** Cuts a text after a number of characters, not between two halves of one. */
	static String cut(String message, int most) {
		if (message.length() <= most) {
			return message;
		}
		int end = Character.isHighSurrogate(message.charAt(most - 1)) ? most - 1 : most;
		return message.substring(0, end) + "...";
	}

}
