package io.delayqueue.listener;

import io.delayqueue.delivery.BatchSettings;
import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * The concurrency and the batch settings of a listener.
 *
 * @param concurrency the number of messages handled at once, 1 to 10,000; {@code null}
 * for the queue's setting
 * @param batches the batch settings; {@code null} if messages are handled one by one
 */
record Sizes(@Nullable Integer concurrency, @Nullable BatchSettings batches) {

	/** Messages are handled one by one, with the queue's concurrency. */
	static final Sizes ONE_BY_ONE = new Sizes(null, null);

	/**
	 * Without a concurrency of its own, a batch listener gets a default from its batch
	 * size.
	 */
	static Sizes of(Attributes attributes, QueueSettings queue) {
		Integer concurrency = attributes.concurrency();
		BatchSettings batches = attributes.batching().settings();
		if (concurrency == null && batches != null) {
			concurrency = batches.concurrencyFor(queue);
		}
		return new Sizes(concurrency, batches);
	}

	QueueSettings of(QueueSettings queue) {
		return (this.concurrency != null) ? queue.withConcurrency(this.concurrency) : queue;
	}

}
