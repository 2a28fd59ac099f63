package io.delayqueue.delivery;

/**
 * Why a delivery failed, as it is kept beside the message: a word for the kind, the
 * exception's class, and its message, cut short because it may hold what users typed.
 */
final class FailureReason {

	private static final int MOST_CHARACTERS = 500;

	private FailureReason() {
	}

	static String handlerFailed(Throwable failure) {
		return of("HANDLER_FAILED", failure);
	}

	static String unreadable(Throwable failure) {
		return of("UNREADABLE", failure);
	}

	private static String of(String kind, Throwable failure) {
		String message = String.valueOf(failure.getMessage());
		if (message.length() > MOST_CHARACTERS) {
			int end = Character.isHighSurrogate(message.charAt(MOST_CHARACTERS - 1)) ? MOST_CHARACTERS - 1
					: MOST_CHARACTERS;
			message = message.substring(0, end) + "...";
		}
		return kind + "|" + failure.getClass().getName() + "|" + message;
	}

}
