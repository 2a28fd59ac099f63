package io.delayqueue.sample.redis;

import org.jspecify.annotations.Nullable;

/** The Redis server of the application can neither be found nor started. */
final class OwnRedisException extends RuntimeException {

	private final String action;

	/**
	 * Creates the exception.
	 * @param message the problem
	 * @param action the advice to the user
	 * @param cause the cause, if there is one
	 */
	OwnRedisException(String message, String action, @Nullable Throwable cause) {
		super(message, cause);
		this.action = action;
	}

	String action() {
		return this.action;
	}

}
