package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.DelayQueueException;

/**
 * Decides on rows whose calls were not carried out. The row is retried if the queue
 * drains, Redis is unavailable, an operator has to fix an error of Redis, or the
 * exception is unexpected; after any other answer the row has failed.
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
			// Only the exceptions of a schedule call guarantee that nothing was stored
			boolean unconfirmed = row.unconfirmed() != null || !isCertain || !isSchedule(row);
			return new RowOutcome.Retried(row, backOff(row.attempt()), unconfirmed, String.valueOf(failure));
		}
		return new RowOutcome.Failed(row, String.valueOf(failure.getMessage()));
	}

	/**
	 * Returns the outcome of a row whose call was not sent, because no time of the claim
	 * was left.
	 */
	RowOutcome untried(ClaimedRow row) {
		return new RowOutcome.Retried(row, backOff(1), row.unconfirmed() != null,
				"The call was not sent, because Redis did not answer other calls in time");
	}

	private static boolean isSchedule(ClaimedRow row) {
		return row.call().envelope() != null;
	}

	/**
	 * Returns the wait before the next attempt, which doubles after each attempt and is
	 * shortened by up to a fifth at random.
	 */
	private Duration backOff(int attempt) {
		long millis = Math.min(this.maxBackOff.toMillis(),
				FIRST_BACK_OFF_MILLIS << Math.min(attempt - 1, MOST_DOUBLINGS));
		return Duration.ofMillis(millis - ThreadLocalRandom.current().nextLong(millis / 5 + 1));
	}

}
