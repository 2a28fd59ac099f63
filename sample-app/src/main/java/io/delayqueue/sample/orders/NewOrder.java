package io.delayqueue.sample.orders;

import java.time.Duration;

import io.delayqueue.sample.web.Fields;
import org.jspecify.annotations.Nullable;

/**
 * An order as its caller asks for it, unchecked.
 *
 * @param id the id that the caller chose
 * @param userId whose order it is
 * @param payWithin how long it may stay unpaid, ISO-8601
 */
record NewOrder(@Nullable String id, @Nullable String userId, @Nullable String payWithin) {

	private static final Duration DEFAULT_PAY_WITHIN = Duration.ofMinutes(15);

	/** The delay that no queue exceeds unless it is configured to. */
	private static final Duration LONGEST_PAY_WITHIN = Duration.ofDays(3650);

	/**
	 * How long the order may stay unpaid.
	 * @return 0 to 3,650 days, 15 minutes if the caller did not say
	 */
	Duration checkedPayWithin() {
		if (this.payWithin == null) {
			return DEFAULT_PAY_WITHIN;
		}
		return Fields.duration("payWithin", this.payWithin, Duration.ZERO, LONGEST_PAY_WITHIN);
	}

}
