package io.delayqueue.delivery;

import org.jspecify.annotations.Nullable;

/**
 * The handlers of a consumer. The consumer takes messages one by one or in batches.
 *
 * @param single takes messages one by one, {@code null} if there are batches
 * @param batches takes batches, {@code null} if messages are taken one by one
 * @param expired takes expired messages, {@code null} if the settings of the queue decide
 * whether they are dropped or dead-lettered
 */
record Handlers(@Nullable MessageHandler single, @Nullable Batches batches, @Nullable MessageHandler expired) {

	/**
	 * A handler of batches.
	 *
	 * @param handler takes the batches
	 * @param settings how the consumer collects the batches
	 */
	record Batches(BatchHandler handler, BatchSettings settings) {
	}

	/**
	 * Returns the number of handler calls that run at once if {@code concurrency}
	 * messages may be handled at once.
	 */
	int workers(int concurrency) {
		return (this.batches != null) ? this.batches.settings().batchesAtOnce(concurrency) : concurrency;
	}

}
