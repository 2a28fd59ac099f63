package io.delayqueue.listener;

import java.time.Duration;

import io.delayqueue.delivery.BatchSettings;
import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * The model of an annotated method, with resolved and checked attributes.
 *
 * @param id the id of its container
 * @param queue the settings of its queue
 * @param attributes the attributes of the annotation
 * @param method the method on its bean
 * @param expired the endpoint of the method for expired messages, which has its own
 * method and attributes; {@code null} if there is none
 */
record DelayedListenerEndpoint(String id, QueueSettings queue, Attributes attributes, ListenerMethod method,
		@Nullable DelayedListenerEndpoint expired) {

	/** The batch settings; {@code null} if messages are handled one by one. */
	@Nullable BatchSettings batches() {
		return this.attributes.batching().settings();
	}

	/**
	 * The number of messages handled at once; {@code null} for the queue's setting. A
	 * batch listener without the attribute {@code concurrency} gets a default that
	 * depends on its batch size.
	 */
	@Nullable Integer concurrency() {
		BatchSettings batches = batches();
		Integer concurrency = this.attributes.running().concurrency();
		return (concurrency == null && batches != null) ? (Integer) batches.concurrencyFor(this.queue) : concurrency;
	}

	/**
	 * The settings of the queue, with the concurrency and the timeout of this endpoint.
	 */
	QueueSettings settings() {
		Integer concurrency = concurrency();
		Duration timeout = this.attributes.running().timeout();
		QueueSettings settings = (concurrency != null) ? this.queue.withConcurrency(concurrency) : this.queue;
		return (timeout != null) ? settings.withTimeout(timeout) : settings;
	}

}
