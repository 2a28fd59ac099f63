package io.delayqueue.queue;

import io.delayqueue.BackOffPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The retry settings of a single message. Where a component is {@code null}, the setting
 * of the queue applies.
 *
 * @param maxAttempts the number of failures after which the message is dead-lettered, 1
 * to 10,000; {@code null} for the queue's value
 * @param backOff the wait before each retry, {@code null} for the queue's value
 */
public record RetryOverride(@Nullable Integer maxAttempts, @Nullable BackOffPolicy backOff) {

	/** No retry settings of the message: the settings of its queue apply. */
	public static final RetryOverride NONE = new RetryOverride(null, null);

	/**
	 * Whether the message has no retry settings of its own.
	 * @return {@code true} if the queue's settings apply
	 */
	public boolean isNone() {
		return this.maxAttempts == null && this.backOff == null;
	}

}
