package io.delayqueue.delivery;

import java.util.concurrent.Executor;

import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * Makes consumers.
 */
public interface QueueConsumerFactory {

	/**
	 * Makes a consumer that is not started yet.
	 * @param settings the queue's settings, with the concurrency that this consumer has
	 * @param handler what to do with each delivery
	 * @param expired what to do with each delivery of a message that has expired,
	 * {@code null} for what the settings say
	 * @param executor what runs the handlers, or {@code null} for threads of its own
	 * @return the consumer
	 */
	QueueConsumer create(QueueSettings settings, MessageHandler handler, @Nullable MessageHandler expired,
			@Nullable Executor executor);

	/**
	 * Makes a consumer that hands over messages in batches, and is not started yet.
	 * @param settings the queue's settings, with the concurrency that this consumer has:
	 * messages, at least as many as a batch has
	 * @param handler what to do with each batch
	 * @param batches how batches are put together
	 * @param expired what to do with each delivery of a message that has expired, one by
	 * one; {@code null} for what the settings say
	 * @param executor what runs the handlers, or {@code null} for threads of its own
	 * @return the consumer
	 */
	QueueConsumer create(QueueSettings settings, BatchHandler handler, BatchSettings batches,
			@Nullable MessageHandler expired, @Nullable Executor executor);

}
