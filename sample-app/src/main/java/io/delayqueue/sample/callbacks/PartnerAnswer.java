package io.delayqueue.sample.callbacks;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What a partner said.
 *
 * @param text an HTTP status, or why there was no answer
 * @param isSuccess whether it has taken the callback
 * @param retryAfter how long it asks to wait, which is no failure; {@code null} if it
 * does not
 */
record PartnerAnswer(String text, boolean isSuccess, @Nullable Duration retryAfter) {

	static PartnerAnswer none(Exception reason) {
		return new PartnerAnswer("no answer: " + reason.getClass().getSimpleName(), false, null);
	}

}
