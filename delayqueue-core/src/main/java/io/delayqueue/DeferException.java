package io.delayqueue;

import java.time.Duration;

/**
 * Thrown by a listener to have its message delivered again later. A deferral is not a
 * failure: the library does not log a failure, and changes neither the failure count nor
 * the back-off of the message. A message may be deferred {@code max-defers} times.
 *
 * <p>
 * A delay of zero or less states no time: then the message waits as long as its back-off
 * after as many failures. A deferral lasts at least 100 ms.
 */
public final class DeferException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Duration delay;

	/**
	 * Creates the exception, without a stack trace.
	 * @param delay the time until the next delivery, at most the queue's
	 * {@code max-delay}; zero or less for the wait of the message's back-off
	 */
	public DeferException(Duration delay) {
		super("Deferred by " + DurationText.of(Rules.wait("delay", delay)), null, false, false);
		this.delay = Rules.wait("delay", delay);
	}

	/**
	 * {@return the time from the deferral to the next delivery of the message, 0 for the
	 * wait of its back-off}
	 */
	public Duration delay() {
		return this.delay;
	}

}
