package io.delayqueue.sample.callbacks;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A callback at one moment, as callers see it.
 *
 * @param id the id that the caller chose
 * @param status where it stands
 * @param attempts how many calls have counted so far
 * @param nextAt when the partner is called next, by the clock of Redis; {@code null} if
 * it is being called, or not any more
 * @param lastAnswer what the partner said last: an HTTP status, or why there was no
 * answer; {@code null} before the first call
 */
record CallbackStatus(String id, Status status, int attempts, @Nullable Instant nextAt, @Nullable String lastAnswer) {

	/** Where a callback stands. */
	enum Status {

		/** The partner is called, again and again. */
		WAITING,

		/** The partner has answered with a 2xx. */
		DELIVERED,

		/** The partner has not, ten times. */
		ABNORMAL

	}

}
