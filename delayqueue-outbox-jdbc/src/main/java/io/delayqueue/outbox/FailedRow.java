package io.delayqueue.outbox;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A row of the outbox whose call Redis has refused, or that cannot be read.
 *
 * @param row the number of the row
 * @param call the call of the row: {@code SCHEDULE}, {@code CANCEL} or {@code RESCHEDULE}
 * @param key the message that the call of the row is for
 * @param createdAt when the row was written, by the clock of the database
 * @param failedAt when the failure was written to the row, by the clock of the database
 * @param reason why Redis refused the call, or why the row cannot be read
 */
public record FailedRow(long row, String call, Key key, Instant createdAt, Instant failedAt, String reason) {

	/**
	 * The queue, id and group of a message, as a failed row contains them. These values
	 * were not validated.
	 *
	 * @param queue the queue
	 * @param id the message's id
	 * @param group the group key, {@code null} if the call names no group
	 */
	public record Key(String queue, String id, @Nullable String group) {
	}

}
