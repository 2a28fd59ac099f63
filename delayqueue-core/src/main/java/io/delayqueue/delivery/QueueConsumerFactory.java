package io.delayqueue.delivery;

import java.util.concurrent.Executor;

import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * Creates consumers of queues.
 */
public interface QueueConsumerFactory {

	/**
	 * Creates a consumer of single messages, which is not started.
	 * @param settings the queue's settings, with the concurrency that this consumer has
	 * @param handler handles each delivery
	 * @param expired handles expired messages, {@code null} if the settings decide
	 * @param executor runs the handlers, or {@code null} for threads of the consumer
	 * @return the consumer
	 */
	QueueConsumer create(QueueSettings settings, MessageHandler handler, @Nullable MessageHandler expired,
			@Nullable Executor executor);

	/**
	 * Creates a consumer of batches, which is not started.
	 * @param settings the queue's settings, with the concurrency that this consumer has:
	 * messages, at least as many as a batch has
	 * @param handler handles each batch
	 * @param batches how batches are collected
	 * @param expired handles expired messages one by one, {@code null} if the settings
	 * decide
	 * @param executor runs the handlers, or {@code null} for threads of the consumer
	 * @return the consumer
	 */
	QueueConsumer create(QueueSettings settings, BatchHandler handler, BatchSettings batches,
			@Nullable MessageHandler expired, @Nullable Executor executor);

}
