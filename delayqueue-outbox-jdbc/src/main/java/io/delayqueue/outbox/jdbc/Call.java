package io.delayqueue.outbox.jdbc;

/**
 * The kinds of calls that a row of the outbox may contain.
 */
enum Call {

	/** Stores a message. */
	SCHEDULE,

	/** Removes a message. */
	CANCEL,

	/** Moves a message to a new due time. */
	RESCHEDULE

}
