package io.delayqueue.sample.callbacks;

/** A partner has not taken a callback, this time. */
final class PartnerNotToldException extends RuntimeException {

	/** Without a stack trace: it is the partner's failure. */
	PartnerNotToldException(Callback callback, PartnerAnswer answer) {
		super(callback.url() + ": " + answer.text(), null, false, false);
	}

}
