package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * A message cannot be turned into what its listener takes: the payload or a header cannot
 * be converted, or the payload is not valid. It is set aside with that reason, by default
 * at once.
 *
 * <p>
 * The message of this exception names types, classes of exceptions and the place in the
 * payload, but no values: those stand at most in its cause, which is logged for debugging
 * only. A listener that finds out by itself that it cannot understand a message may throw
 * this exception too.
 */
public final class UnreadableMessageException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param message what cannot be converted to what; is kept beside the dead letter
	 * @param cause why, if there is a cause
	 */
	public UnreadableMessageException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
