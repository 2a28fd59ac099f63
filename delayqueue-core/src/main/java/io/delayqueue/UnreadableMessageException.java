package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * The failure of an attempt whose message cannot be converted to the arguments of its
 * listener: the payload or a header cannot be converted, or the payload fails validation.
 * A message that cannot be converted is dead-lettered with the reason {@code UNREADABLE},
 * by default without a retry.
 *
 * <p>
 * The text of this exception contains types, classes of exceptions and the position of
 * the error in the payload, but no values. The cause of this exception may contain
 * values, and is logged at DEBUG level only. A listener may also throw this exception
 * itself.
 */
public final class UnreadableMessageException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param message what cannot be converted, and to what; stored with the dead letter
	 * @param cause the cause, if any
	 */
	public UnreadableMessageException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
