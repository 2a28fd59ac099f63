package io.delayqueue.test.redis;

/**
 * No Redis server could be found, started or reached. The message contains what was tried
 * and which setting helps. Tests should fail with this exception, never skip.
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
	 * @param cause why it failed
	 */
	public RedisNotAvailableException(String message, Throwable cause) {
		super(message, cause);
	}

}
