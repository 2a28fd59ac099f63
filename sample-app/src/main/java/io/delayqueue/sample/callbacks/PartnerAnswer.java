package io.delayqueue.sample.callbacks;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The answer of a partner to a callback.
 *
 * @param text an HTTP status, or the reason for a missing answer
 * @param isSuccess whether the partner has accepted the callback
 * @param retryAfter the wait that the partner requests; {@code null} if the partner
 * requests no wait. An answer that requests a wait does not count as a failure
 */
record PartnerAnswer(String text, boolean isSuccess, @Nullable Duration retryAfter) {

	/**
	 * Returns whether the partner has answered 429: it accepts no calls for a time.
	 */
	boolean isTooManyRequests() {
		return this.text.equals("429");
	}

	static PartnerAnswer none(Exception reason) {
		return new PartnerAnswer("no answer: " + reason.getClass().getSimpleName(), false, null);
	}

}
