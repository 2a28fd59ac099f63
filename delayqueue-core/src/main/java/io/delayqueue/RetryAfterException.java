package io.delayqueue;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a listener to fail its attempt and to set the time until the next attempt,
 * for example to the time in the {@code Retry-After} header of an HTTP response. This
 * time replaces the queue's back-off. An attempt that ends with this exception counts as
 * a failure.
 */
public final class RetryAfterException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Duration delay;

	/**
	 * Creates the exception.
	 * @param delay the time until the next attempt, from 0 to the queue's
	 * {@code max-delay}
	 * @param message why the listener failed
	 */
	public RetryAfterException(Duration delay, String message) {
		this(delay, message, null);
	}

	/**
	 * Creates the exception.
	 * @param delay the time until the next attempt, from 0 to the queue's
	 * {@code max-delay}
	 * @param message why the listener failed
	 * @param cause the cause, if any
	 */
	public RetryAfterException(Duration delay, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.delay = Rules.delay(delay);
	}

	/**
	 * {@return the time from the failure to the next attempt, 0 or more}
	 */
	public Duration delay() {
		return this.delay;
	}

}
