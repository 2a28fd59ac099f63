package io.delayqueue.sample.callbacks;

/** A partner has not accepted a callback. */
final class PartnerNotNotifiedException extends RuntimeException {

	/** Has no stack trace, because the cause is outside the application. */
	PartnerNotNotifiedException(Callback callback, PartnerAnswer answer) {
		super(callback.url() + ": " + answer.text(), null, false, false);
	}

}
