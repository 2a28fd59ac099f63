package io.delayqueue.sample.redis;

import org.jspecify.annotations.Nullable;

/** The application's own Redis can neither be found nor started. */
final class OwnRedisException extends RuntimeException {

	private final String action;

	/**
	 * Creates the exception.
	 * @param message what is wrong
	 * @param action what to do about it
	 * @param cause why, if there is a cause
	 */
	OwnRedisException(String message, String action, @Nullable Throwable cause) {
		super(message, cause);
		this.action = action;
	}

	String action() {
		return this.action;
	}

}
