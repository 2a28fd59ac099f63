package io.delayqueue.sample.orders;

import java.time.Duration;
import java.time.format.DateTimeParseException;

import io.delayqueue.sample.web.Problems;
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
		Duration parsed = parsed(this.payWithin);
		if (parsed == null || parsed.isNegative() || parsed.compareTo(LONGEST_PAY_WITHIN) > 0) {
			throw Problems.invalid("payWithin", this.payWithin,
					"an ISO-8601 duration from PT0S to " + LONGEST_PAY_WITHIN + ", for example PT15M or PT1.5S");
		}
		return parsed;
	}

	private static @Nullable Duration parsed(String text) {
		try {
			return Duration.parse(text);
		}
		catch (DateTimeParseException ex) {
			return null;
		}
	}

}
