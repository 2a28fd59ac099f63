package io.delayqueue.sample.callbacks;

/** Thrown if a partner has not accepted a callback. */
final class PartnerNotNotifiedException extends RuntimeException {

	/**
	 * Creates the exception without a stack trace, because the cause is outside this
	 * application.
	 */
	PartnerNotNotifiedException(Callback callback, PartnerAnswer answer) {
		super(callback.url() + ": " + answer.text(), null, false, false);
	}

}
