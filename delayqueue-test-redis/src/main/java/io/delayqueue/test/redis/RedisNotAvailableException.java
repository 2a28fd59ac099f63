package io.delayqueue.test.redis;

/**
 * Thrown if no Redis server could be found, started or reached. The message says what was
 * tried and which setting helps. Tests should fail with this exception; they should not
 * be skipped.
 */
public class RedisNotAvailableException extends RuntimeException {

	/**
	 * Creates the exception.
	 * @param message what was tried, and what to set
	 */
	public RedisNotAvailableException(String message) {
		super(message);
	}

	/**
	 * Creates the exception.
	 * @param message what was tried, and what to set
	 * @param cause why no server is available
	 */
	public RedisNotAvailableException(String message, Throwable cause) {
		super(message, cause);
	}

}
