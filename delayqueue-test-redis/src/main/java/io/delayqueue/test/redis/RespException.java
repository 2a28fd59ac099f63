package io.delayqueue.test.redis;

/**
 * An error reply of a Redis server, for example {@code MOVED 3999 127.0.0.1:6381}. The
 * connection stays usable after an error reply.
 */
public final class RespException extends RuntimeException {

	RespException(String message) {
		super(message);
	}

	/**
	 * Returns the first word of the error, which identifies its cause.
	 * @return for example {@code MOVED}, {@code WRONGTYPE} or {@code ERR}
	 */
	public String code() {
		String message = String.valueOf(getMessage());
		int space = message.indexOf(' ');
		return (space < 0) ? message : message.substring(0, space);
	}

}
