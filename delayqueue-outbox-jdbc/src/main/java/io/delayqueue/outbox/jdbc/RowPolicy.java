package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.DelayQueueException;

/**
 * Decides whether an outbox row is sent again after a call that has failed. The row is
 * sent again if the queue is draining, if Redis is unavailable, if Redis refuses the call
 * until an operator has corrected an error, if the outcome of the call is unknown, or if
 * the exception is unexpected. After any other exception, for example because of a
 * used-up quota, the row counts as failed and waits for an operator.
 */
final class RowPolicy {

	private static final long FIRST_BACK_OFF_MILLIS = 250;

	private static final int MOST_DOUBLINGS = 20;

	private final Duration maxBackOff;

	RowPolicy(Duration maxBackOff) {
		this.maxBackOff = maxBackOff;
	}

	RowOutcome of(ClaimedRow row, RuntimeException failure) {
		boolean isCertain = failure instanceof QueueDrainingException
				|| failure instanceof DelayQueueUnavailableException || failure instanceof RedisRefusedException;
		if (isCertain || failure instanceof ScheduleOutcomeUnknownException
				|| !(failure instanceof DelayQueueException)) {
			// Only a call that schedules guarantees by its exception that nothing was
			// stored; a call that cancels or reschedules may have been carried out
			boolean unconfirmed = row.unconfirmed() != null || !isCertain || !isSchedule(row);
			return new RowOutcome.Retried(row, backOff(row.attempt()), unconfirmed, String.valueOf(failure));
		}
		return new RowOutcome.Failed(row, String.valueOf(failure.getMessage()));
	}

	/**
	 * Returns the outcome of a claimed row whose call was not sent to Redis, because no
	 * time was left before the end of the claim.
	 */
	RowOutcome untried(ClaimedRow row) {
		return new RowOutcome.Retried(row, backOff(1), row.unconfirmed() != null,
				"The call was not sent, because Redis did not answer other calls in time");
	}

	private static boolean isSchedule(ClaimedRow row) {
		return row.call().envelope() != null;
	}

	/**
	 * Returns the wait before the next attempt to send a row. The wait doubles after each
	 * attempt, and is shortened by up to a fifth at random.
	 */
	private Duration backOff(int attempt) {
		long millis = Math.min(this.maxBackOff.toMillis(),
				FIRST_BACK_OFF_MILLIS << Math.min(attempt - 1, MOST_DOUBLINGS));
		return Duration.ofMillis(millis - ThreadLocalRandom.current().nextLong(millis / 5 + 1));
	}

}
