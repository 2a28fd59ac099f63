package io.delayqueue.outbox.jdbc;

/**
 * The calls that a row may contain.
 */
enum Call {

	/** Stores a message. */
	SCHEDULE,

	/** Removes a message. */
	CANCEL,

	/** Moves a message to a new due time. */
	RESCHEDULE

}
