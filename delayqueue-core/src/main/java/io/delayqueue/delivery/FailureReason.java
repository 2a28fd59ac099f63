package io.delayqueue.delivery;

/**
 * The reason of a failed delivery.
 */
enum FailureReason {

	/** The handler failed in the last attempt. */
	HANDLER_FAILED,

	/** The handler threw an exception that is never retried. */
	NEVER_RETRIED,

	/** The handler exceeded the maximum processing time. */
	TIMED_OUT,
	/** The payload cannot be converted to the type of the listener's parameter. */
	UNREADABLE,

	/** The handler has deferred the message too often. */
	DEFERRED_TOO_OFTEN,

	/** The processes that handled the message fell silent too often. */
	CRASHED,

	/** The message expired before its attempt could begin; that is no failure. */
	EXPIRED;

	/** Describes a failure by its exception. */
	FailureNote of(Throwable failure) {
		return new FailureNote(this, failure.getClass().getName(), String.valueOf(failure.getMessage()));
	}

	/** Describes a failure without an exception. */
	FailureNote because(String why) {
		return new FailureNote(this, null, why);
	}

}
