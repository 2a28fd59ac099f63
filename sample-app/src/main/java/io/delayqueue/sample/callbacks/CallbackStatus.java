package io.delayqueue.sample.callbacks;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The state of a callback at one moment, as returned to callers.
 *
 * @param id the id that the caller chose
 * @param status the status of the callback
 * @param attempts the number of calls to the partner that count as attempts
 * @param nextAt the time of the next call to the partner, by the clock of Redis; {@code
 * null} during a call and after the last call
 * @param lastAnswer the partner's last answer: an HTTP status, or the reason for a
 * missing answer; {@code null} before the first call
 */
record CallbackStatus(String id, Status status, int attempts, @Nullable Instant nextAt, @Nullable String lastAnswer) {

	/** The status of a callback. */
	enum Status {

		/** The partner has not accepted the callback yet; further calls follow. */
		WAITING,

		/** The partner has answered with a 2xx status. */
		DELIVERED,

		/** Ten calls to the partner have failed. */
		ABNORMAL

	}

}
