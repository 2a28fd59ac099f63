package io.delayqueue;

import java.time.Duration;

/**
 * Thrown by a listener that says "not yet, look again later". That is no failure: nothing
 * is logged as one, the back-off and the failures stay as they are. A message may be
 * deferred {@code max-defers} times.
 */
public final class DeferException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Duration delay;

	/**
	 * Creates the exception, without a stack trace: it is an answer.
	 * @param delay how long to wait, from 0 to the queue's max-delay
	 */
	public DeferException(Duration delay) {
		super("Deferred by " + delay, null, false, false);
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
