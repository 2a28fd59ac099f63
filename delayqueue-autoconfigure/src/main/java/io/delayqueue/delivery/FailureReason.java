package io.delayqueue.delivery;

/**
 * The word for why a delivery failed.
 */
enum FailureReason {

	/** The handler threw, for the last time that it may. */
	HANDLER_FAILED,

	/** The handler threw what is never retried. */
	NEVER_RETRIED,

	/** The handler ran for longer than it may. */
	TIMED_OUT,
	/** The message cannot be converted to what the listener takes. */
	UNREADABLE,

	/** The handler has deferred the message too often. */
	DEFERRED_TOO_OFTEN,

	/** The process fell silent while it had the message, too often. */
	CRASHED,

	/** It had expired before its attempt could begin; that is no failure. */
	EXPIRED;

	/** The note about an exception. */
	FailureNote of(Throwable failure) {
		return new FailureNote(this, failure.getClass().getName(), String.valueOf(failure.getMessage()));
	}

	/** The note about something else than an exception. */
	FailureNote because(String why) {
		return new FailureNote(this, null, why);
	}

}
