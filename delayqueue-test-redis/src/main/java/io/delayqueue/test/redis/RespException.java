package io.delayqueue.test.redis;

/**
 * An error that a Redis server answered, for example {@code MOVED 3999 127.0.0.1:6381}.
 * The connection is still good.
 */
public final class RespException extends RuntimeException {

	RespException(String message) {
		super(message);
	}

	/**
	 * The first word of the error, by which Redis tells causes apart.
	 * @return for example {@code MOVED}, {@code WRONGTYPE} or {@code ERR}
	 */
	public String code() {
		String message = String.valueOf(getMessage());
		int space = message.indexOf(' ');
		return (space < 0) ? message : message.substring(0, space);
	}

}
