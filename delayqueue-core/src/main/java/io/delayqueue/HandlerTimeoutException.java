package io.delayqueue;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The failure of an attempt whose handler has run for longer than the timeout of its
 * listener or queue. The stack trace of this exception shows where the handler's thread
 * was at the timeout. The stack trace is empty if the handler had returned a stage that
 * did not complete.
 */
public final class HandlerTimeoutException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Duration timeout;

	/**
	 * Creates the exception.
	 * @param timeout the timeout
	 * @param thread the thread that the handler holds, {@code null} if the handler has
	 * returned a stage that has not completed
	 */
	public HandlerTimeoutException(Duration timeout, @Nullable Thread thread) {
		super("The handler ran for longer than its timeout (" + DurationText.of(timeout) + ")"
				+ ((thread != null) ? " and was interrupted in thread '" + thread.getName() + "'"
						: "; the stage that it returned had not completed and was cancelled"),
				null, false, true);
		setStackTrace((thread != null) ? thread.getStackTrace() : new StackTraceElement[0]);
		this.timeout = timeout;
	}

	/**
	 * Returns the timeout that the handler has exceeded.
	 * @return the timeout of the listener, or of the queue if the listener has none
	 */
	public Duration timeout() {
		return this.timeout;
	}

}
