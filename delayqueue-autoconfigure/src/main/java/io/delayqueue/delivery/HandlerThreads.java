package io.delayqueue.delivery;

import java.util.concurrent.Executor;

import io.delayqueue.queue.QueueSettings;

/**
 * Makes the threads that run a consumer's handlers when the listener names none.
 */
@FunctionalInterface
public interface HandlerThreads {

	/**
	 * Threads for one start of a consumer.
	 * @param settings the queue's settings; the concurrency is how many handlers run at
	 * once
	 * @return the threads, twice as many as the concurrency: a handler that was abandoned
	 * keeps its thread until it ends
	 */
	Threads create(QueueSettings settings);

	/**
	 * An executor and what ends it.
	 *
	 * @param executor runs handlers
	 * @param end what ends it
	 */
	record Threads(Executor executor, Runnable end) {

		void close() {
			this.end.run();
		}

	}

}
