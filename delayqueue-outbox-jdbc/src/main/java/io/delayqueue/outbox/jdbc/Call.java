package io.delayqueue.outbox.jdbc;

/**
 * The kinds of calls that a row of the outbox may contain.
 */
enum Call {

	/** The call schedules a message. */
	SCHEDULE,

	/** The call cancels a message. */
	CANCEL,

	/** The call moves a message to a new due time. */
	RESCHEDULE

}
