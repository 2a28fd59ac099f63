package io.delayqueue.outbox.jdbc;

import java.time.Duration;

/**
 * The result of a claimed row.
 */
sealed interface RowOutcome {

	/** The row. */
	ClaimedRow row();

	/**
	 * The call was carried out.
	 *
	 * @param row the row
	 */
	record Finished(ClaimedRow row) implements RowOutcome {
	}

	/**
	 * The row is sent again.
	 *
	 * @param row the row
	 * @param backOff the time until then
	 * @param staysUnconfirmed whether this or an earlier attempt may have been carried
	 * out
	 * @param reason why it was not carried out
	 */
	record Retried(ClaimedRow row, Duration backOff, boolean staysUnconfirmed, String reason) implements RowOutcome {
	}

	/**
	 * Redis has refused the call, and an operator has to decide.
	 *
	 * @param row the row
	 * @param reason why
	 */
	record Failed(ClaimedRow row, String reason) implements RowOutcome {
	}

}
