package io.delayqueue.outbox;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A row of the outbox that Redis has refused, or that cannot be read.
 *
 * @param row the number of the row
 * @param call the call of the row: {@code SCHEDULE}, {@code CANCEL} or {@code RESCHEDULE}
 * @param key the message that the call is for
 * @param createdAt when the row was written, by the clock of the database
 * @param failedAt when Redis refused the call, by the clock of the database
 * @param reason why Redis refused the call, or why the row cannot be read
 */
public record FailedRow(long row, String call, Key key, Instant createdAt, Instant failedAt, String reason) {

	/**
	 * The message of a row, as stored in the row and not validated.
	 *
	 * @param queue the queue
	 * @param id the message's id
	 * @param group the group key, {@code null} if the call has none
	 */
	public record Key(String queue, String id, @Nullable String group) {
	}

}
