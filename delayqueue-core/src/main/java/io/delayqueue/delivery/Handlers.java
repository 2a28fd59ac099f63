package io.delayqueue.delivery;

import org.jspecify.annotations.Nullable;

/**
 * The handlers of one consumer: a handler of single messages or of batches, and perhaps a
 * handler of expired messages.
 *
 * @param single handles single messages, {@code null} if the listener takes batches
 * @param batches handles batches, {@code null} if the listener takes single messages
 * @param expired handles expired messages, {@code null} if the settings of the queue
 * decide whether they are dropped or dead-lettered
 */
record Handlers(@Nullable MessageHandler single, @Nullable Batches batches, @Nullable MessageHandler expired) {

	/**
	 * A handler of batches, with the settings of its batches.
	 *
	 * @param handler handles the batches
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
