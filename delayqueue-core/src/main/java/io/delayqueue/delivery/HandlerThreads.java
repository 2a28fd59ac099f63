package io.delayqueue.delivery;

import java.util.concurrent.Executor;

import io.delayqueue.queue.QueueSettings;

/**
 * Creates the threads that call the handlers of a consumer whose listener names no
 * executor.
 */
@FunctionalInterface
public interface HandlerThreads {

	/**
	 * Creates the threads for one start of a consumer.
	 * @param settings the queue's settings; the concurrency is the number of handlers
	 * that run at once
	 * @return the threads, twice as many as the concurrency: an abandoned handler keeps
	 * its thread until it ends
	 */
	Threads create(QueueSettings settings);

	/**
	 * An executor and the action that ends it.
	 *
	 * @param executor runs handlers
	 * @param end ends the executor
	 */
	record Threads(Executor executor, Runnable end) {

		void close() {
			this.end.run();
		}

	}

}
