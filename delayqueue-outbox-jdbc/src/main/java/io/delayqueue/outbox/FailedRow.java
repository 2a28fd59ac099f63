package io.delayqueue.outbox;

import java.time.Instant;

import io.delayqueue.MessageKey;

/**
 * A row of the outbox that Redis has refused.
 *
 * @param row the number of the row
 * @param call the call
 * @param key the message
 * @param createdAt when the row was written, by the clock of the database
 * @param failedAt when it was refused, by the clock of the database
 * @param reason why it was refused
 */
public record FailedRow(long row, Call call, MessageKey key, Instant createdAt, Instant failedAt, String reason) {

	/** The calls that a row may contain. */
	public enum Call {

		/** Stores a message. */
		SCHEDULE,

		/** Removes a message. */
		CANCEL,

		/** Moves a message to a new due time. */
		RESCHEDULE

	}

}
