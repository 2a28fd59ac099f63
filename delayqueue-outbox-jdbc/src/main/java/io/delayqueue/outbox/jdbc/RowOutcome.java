package io.delayqueue.outbox.jdbc;

import java.time.Duration;

/**
 * The outcome of an attempt to carry out the call of an outbox row that this process has
 * claimed.
 */
sealed interface RowOutcome {

	/** Returns the claimed row of the outbox. */
	ClaimedRow row();

	/**
	 * Redis has carried out the call of the row.
	 *
	 * @param row the row
	 */
	record Finished(ClaimedRow row) implements RowOutcome {
	}

	/**
	 * Redis did not carry out the call of the row, or may not have carried it out: the
	 * row is sent again.
	 *
	 * @param row the row
	 * @param backOff the time until the next attempt
	 * @param staysUnconfirmed whether Redis may have carried out the call in this or an
	 * earlier attempt
	 * @param reason why the row is sent again
	 */
	record Retried(ClaimedRow row, Duration backOff, boolean staysUnconfirmed, String reason) implements RowOutcome {
	}

	/**
	 * Redis has refused the call of the row, for example because of a quota: an operator
	 * has to retry or remove the row.
	 *
	 * @param row the row
	 * @param reason why Redis has refused the call
	 */
	record Failed(ClaimedRow row, String reason) implements RowOutcome {
	}

}
