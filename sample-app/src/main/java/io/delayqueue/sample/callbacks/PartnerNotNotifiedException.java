package io.delayqueue.sample.callbacks;

/** A partner has not taken a callback, this time. */
final class PartnerNotNotifiedException extends RuntimeException {

	/** Without a stack trace: it is the partner's failure. */
	PartnerNotNotifiedException(Callback callback, PartnerAnswer answer) {
		super(callback.url() + ": " + answer.text(), null, false, false);
	}

}
