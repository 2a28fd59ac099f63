package io.delayqueue.sample.callbacks;

/** A partner has not accepted a callback. */
final class PartnerNotNotifiedException extends RuntimeException {

	/** Creates the exception without a stack trace: the cause is outside. */
	PartnerNotNotifiedException(Callback callback, PartnerAnswer answer) {
		super(callback.url() + ": " + answer.text(), null, false, false);
	}

}
