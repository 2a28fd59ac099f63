package io.delayqueue.queue;

import io.delayqueue.BackOffPolicy;
import org.jspecify.annotations.Nullable;

/**
 * What a message says of its own retries; the rest is as its queue has it.
 *
 * @param maxAttempts after how many failures the message is set aside, 1 to 10,000;
 * {@code null} as the queue has it
 * @param backOff how long to wait before each retry, {@code null} as the queue has it
 */
public record RetryOverride(@Nullable Integer maxAttempts, @Nullable BackOffPolicy backOff) {

	/** All is as the queue has it. */
	public static final RetryOverride NONE = new RetryOverride(null, null);

	/**
	 * Whether the message says nothing.
	 * @return {@code true} if all is as the queue has it
	 */
	public boolean isNone() {
		return this.maxAttempts == null && this.backOff == null;
	}

}
