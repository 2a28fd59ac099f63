package io.delayqueue;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a listener to fail its attempt and to set the time until the next attempt,
 * for example to the time in the {@code Retry-After} header of an HTTP response. This
 * time replaces the wait of the message's back-off, except a time of zero or less. An
 * attempt that ends with this exception counts as a failure.
 */
public final class RetryAfterException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Duration delay;

	/**
	 * Creates the exception.
	 * @param delay the time until the next attempt, at most the queue's
	 * {@code max-delay}; zero or less for the wait of the message's back-off
	 * @param message why the listener failed
	 */
	public RetryAfterException(Duration delay, String message) {
		this(delay, message, null);
	}

	/**
	 * Creates the exception.
	 * @param delay the time until the next attempt, at most the queue's
	 * {@code max-delay}; zero or less for the wait of the message's back-off
	 * @param message why the listener failed
	 * @param cause the cause, if any
	 */
	public RetryAfterException(Duration delay, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.delay = Rules.wait("delay", delay);
	}

	/**
	 * {@return the time from the failure to the next attempt, 0 for the wait of the
	 * message's back-off}
	 */
	public Duration delay() {
		return this.delay;
	}

}
