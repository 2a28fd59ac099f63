package io.delayqueue.outbox;

import java.time.Duration;

/**
 * The numbers of rows of the outbox at one moment.
 *
 * @param pending the number of committed rows that are not sent yet
 * @param failed the number of rows that Redis has refused and that wait for an operator
 * @param oldest the age of the oldest pending row since its call, zero if there is none
 */
public record OutboxStatus(long pending, long failed, Duration oldest) {

	/** Validates the components. */
	public OutboxStatus {
		if (pending < 0 || failed < 0 || oldest.isNegative()) {
			throw new IllegalArgumentException(
					"Counts and age must not be negative: " + pending + ", " + failed + ", " + oldest);
		}
	}

}
