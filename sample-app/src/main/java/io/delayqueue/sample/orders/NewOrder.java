package io.delayqueue.sample.orders;

import java.time.Duration;

import io.delayqueue.sample.web.Fields;
import org.jspecify.annotations.Nullable;

/**
 * The request for an order, not validated.
 *
 * @param id the id that the caller chose
 * @param userId the user
 * @param payWithin the time to pay, ISO-8601
 */
record NewOrder(@Nullable String id, @Nullable String userId, @Nullable String payWithin) {

	private static final Duration DEFAULT_PAY_WITHIN = Duration.ofMinutes(15);

	/** The default maximum delay of a queue. */
	private static final Duration LONGEST_PAY_WITHIN = Duration.ofDays(3650);

	/**
	 * {@return the time within which the order must be paid, 0 to 3,650 days, 15 minutes
	 * by default}
	 */
	Duration checkedPayWithin() {
		if (this.payWithin == null) {
			return DEFAULT_PAY_WITHIN;
		}
		return Fields.duration("payWithin", this.payWithin, Duration.ZERO, LONGEST_PAY_WITHIN);
	}

}
