package io.delayqueue.delivery;

/**
 * A payload or header cannot be converted to what the listener declares. The message is
 * set aside with that reason.
 */
public final class UnreadableMessageException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param message what cannot be converted to what
	 * @param cause why
	 */
	public UnreadableMessageException(String message, Throwable cause) {
		super(message, cause);
	}

}
