package io.delayqueue;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a listener that failed and knows better than the queue's back-off when to try
 * again, for example because the partner said so. Counts as a failure.
 */
public final class RetryAfterException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Duration delay;

	/**
	 * Creates the exception.
	 * @param delay how long to wait, from 0 to the queue's max-delay
	 * @param message why the listener failed
	 */
	public RetryAfterException(Duration delay, String message) {
		this(delay, message, null);
	}

	/**
	 * Creates the exception.
	 * @param delay how long to wait, from 0 to the queue's max-delay
	 * @param message why the listener failed
	 * @param cause what it failed of
	 */
	public RetryAfterException(Duration delay, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.delay = Rules.delay(delay);
	}

	/**
	 * How long to wait.
	 * @return the delay
	 */
	public Duration delay() {
		return this.delay;
	}

}
