package io.delayqueue.delivery;

import java.util.concurrent.Executor;

import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * Creates consumers of queues.
 */
public interface QueueConsumerFactory {

	/**
	 * Creates a consumer of single messages, but does not start the consumer.
	 * @param settings the queue's settings, with the concurrency of this consumer
	 * @param handler handles each delivery
	 * @param expired handles expired messages, {@code null} if the settings of the queue
	 * decide whether they are dropped or dead-lettered
	 * @param executor runs the handlers, {@code null} if the consumer creates threads for
	 * them
	 * @return the consumer
	 */
	QueueConsumer create(QueueSettings settings, MessageHandler handler, @Nullable MessageHandler expired,
			@Nullable Executor executor);

	/**
	 * Creates a consumer of batches, but does not start the consumer.
	 * @param settings the queue's settings, with the concurrency of this consumer, which
	 * counts messages and is at least the size of a full batch
	 * @param handler handles each batch
	 * @param batches how the consumer collects batches
	 * @param expired handles expired messages one by one, {@code null} if the settings of
	 * the queue decide whether they are dropped or dead-lettered
	 * @param executor runs the handlers, {@code null} if the consumer creates threads for
	 * them
	 * @return the consumer
	 */
	QueueConsumer create(QueueSettings settings, BatchHandler handler, BatchSettings batches,
			@Nullable MessageHandler expired, @Nullable Executor executor);

}
