package io.delayqueue.listener;

import io.delayqueue.delivery.BatchSettings;
import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * How many messages a listener handles.
 *
 * @param concurrency how many at once, 1 to 10,000; {@code null} for what the queue's
 * settings say
 * @param batches how they are put together; {@code null} if it handles them one by one
 */
record Sizes(@Nullable Integer concurrency, @Nullable BatchSettings batches) {

	/** One by one, as many at once as the queue's settings say. */
	static final Sizes ONE_BY_ONE = new Sizes(null, null);

	/** A listener of batches has places for two, unless it says how many it has. */
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
