package io.delayqueue.delivery;

import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * What one start of a consumer is about.
 *
 * @param settings the queue's settings, with the consumer's concurrency
 * @param consumer its name in the group
 * @param consumption how messages are handed over
 * @param expired takes those that have expired, {@code null} if nobody does
 */
record ConsumerPlan(QueueSettings settings, String consumer, Consumption consumption,
		@Nullable MessageHandler expired) {

	/** Makes what deals with messages that have expired. */
	Expiring expiring(Verdict verdict, ConsumerTools tools) {
		return new Expiring(this.settings.expiry(),
				(this.expired != null) ? new MessageHandling(this.expired, verdict, tools.observer()) : null);
	}

}
