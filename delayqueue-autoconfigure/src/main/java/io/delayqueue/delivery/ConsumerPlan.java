package io.delayqueue.delivery;

import java.util.Map;
import java.util.TreeMap;

import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * What one start of a consumer is about.
 *
 * @param settings the queue's settings, with the consumer's concurrency
 * @param consumer its name in the group
 * @param handlerMode how messages are handed over
 * @param expired takes those that have expired, {@code null} if nobody does
 */
record ConsumerPlan(QueueSettings settings, String consumer, HandlerMode handlerMode,
		@Nullable MessageHandler expired) {

	/**
	 * The groups that have workers of their own, and how many of their messages these
	 * handle at once.
	 */
	Map<String, Integer> dedicated() {
		Map<String, Integer> dedicated = new TreeMap<>();
		this.settings.groups().overrides().forEach((group, override) -> {
			if (override.dedicated()) {
				Integer own = override.concurrency();
				dedicated.put(group, (own != null) ? own : this.settings.concurrency());
			}
		});
		return dedicated;
	}

	/** The most messages of a group that are ready or pending, in all processes. */
	int limitOf(String group) {
		return this.settings.groups().limitOf(group, this.settings.concurrency());
	}

	/** Makes what deals with messages that have expired. */
	ExpiryPolicy expiring(OutcomePolicy outcomePolicy, HandlerRuns runs, ConsumerTools tools) {
		return new ExpiryPolicy(this.settings.expiry(),
				(this.expired != null) ? new MessageInvoker(this.expired, outcomePolicy, runs, tools) : null);
	}

}
