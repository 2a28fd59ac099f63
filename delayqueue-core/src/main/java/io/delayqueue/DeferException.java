package io.delayqueue;

import java.time.Duration;

/**
 * Thrown by a listener to have its message delivered again later. A deferral is not a
 * failure: the library does not log a failure, and changes neither the failure count nor
 * the back-off of the message. A message may be deferred {@code max-defers} times.
 */
public final class DeferException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Duration delay;

	/**
	 * Creates the exception, without a stack trace.
	 * @param delay the time until the next delivery, from 0 to the queue's
	 * {@code max-delay}
	 * @throws InvalidMessageException if the delay is negative
	 */
	public DeferException(Duration delay) {
		super("Deferred by " + delay, null, false, false);
		this.delay = Rules.delay(delay);
	}

	/**
	 * {@return the time from the deferral to the next delivery of the message, 0 or more}
	 */
	public Duration delay() {
		return this.delay;
	}

}
