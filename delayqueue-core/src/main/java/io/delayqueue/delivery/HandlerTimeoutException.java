package io.delayqueue.delivery;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of an abandoned handler, with the stack trace of the thread that the
 * handler holds.
 */
final class HandlerTimeoutException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param limit the maximum processing time
	 * @param thread the thread that the handler holds, {@code null} if it has returned a
	 * stage that does not complete
	 */
	HandlerTimeoutException(Duration limit, @Nullable Thread thread) {
		super("The handler ran for longer than max-processing-time (" + limit + ") and was abandoned"
				+ ((thread != null) ? "; it holds thread '" + thread.getName() + "'"
						: "; the stage that it returned has not completed"),
				null, false, true);
		setStackTrace((thread != null) ? thread.getStackTrace() : new StackTraceElement[0]);
	}

}
