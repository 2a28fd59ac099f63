package io.delayqueue.outbox;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A row of the outbox that Redis has refused, or that cannot be read.
 *
 * @param row the number of the row
 * @param call what to do: {@code SCHEDULE}, {@code CANCEL} or {@code RESCHEDULE}
 * @param key the message
 * @param createdAt when the row was written, by the clock of the database
 * @param failedAt when it was refused, by the clock of the database
 * @param reason why it was refused
 */
public record FailedRow(long row, String call, Key key, Instant createdAt, Instant failedAt, String reason) {

	/**
	 * The message of a row, as the row has it: not validated.
	 *
	 * @param queue the queue
	 * @param id the message's id
	 * @param group its group key, {@code null} if the call has none
	 */
	public record Key(String queue, String id, @Nullable String group) {
	}

}
