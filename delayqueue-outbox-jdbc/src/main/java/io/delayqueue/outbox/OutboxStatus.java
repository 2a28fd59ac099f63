package io.delayqueue.outbox;

import java.time.Duration;

/**
 * The numbers of rows of the outbox at one moment.
 *
 * @param pending the number of committed rows that are not sent yet
 * @param failed the number of rows that Redis has refused and that wait for an operator
 * @param oldest the age of the oldest row that is not sent yet, zero if there is no such
 * row
 */
public record OutboxStatus(long pending, long failed, Duration oldest) {

	/** Checks that the counts and the age are not negative. */
	public OutboxStatus {
		if (pending < 0 || failed < 0 || oldest.isNegative()) {
			throw new IllegalArgumentException(
					"Counts and age must not be negative: " + pending + ", " + failed + ", " + oldest);
		}
	}

}
