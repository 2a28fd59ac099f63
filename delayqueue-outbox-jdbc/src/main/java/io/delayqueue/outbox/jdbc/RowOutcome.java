package io.delayqueue.outbox.jdbc;

import java.time.Duration;

/**
 * The outcome of an attempt to carry out the call of a claimed row.
 */
sealed interface RowOutcome {

	/** Returns the row. */
	ClaimedRow row();

	/**
	 * The call of the row was carried out.
	 *
	 * @param row the row
	 */
	record Finished(ClaimedRow row) implements RowOutcome {
	}

	/**
	 * The call was not carried out, or this is unknown: the row is sent again.
	 *
	 * @param row the row
	 * @param backOff the time until the next attempt
	 * @param staysUnconfirmed whether this or an earlier attempt may have been carried
	 * out
	 * @param reason why the call is sent again
	 */
	record Retried(ClaimedRow row, Duration backOff, boolean staysUnconfirmed, String reason) implements RowOutcome {
	}

	/**
	 * Redis has refused the call, and an operator has to retry the row or to remove it.
	 *
	 * @param row the row
	 * @param reason why
	 */
	record Failed(ClaimedRow row, String reason) implements RowOutcome {
	}

}
