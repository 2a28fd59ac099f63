package io.delayqueue.delivery;

import java.util.concurrent.Executor;

import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Makes consumers of Redis Streams.
 */
public final class RedisQueueConsumerFactory implements QueueConsumerFactory {

	private final ConsumerTools tools;

	private final HandlerThreads ownThreads;

	/**
	 * Creates the factory.
	 * @param tools what all consumers share
	 * @param ownThreads makes threads for consumers that are given no executor
	 */
	public RedisQueueConsumerFactory(ConsumerTools tools, HandlerThreads ownThreads) {
		this.tools = tools;
		this.ownThreads = ownThreads;
	}

	@Override
	public QueueConsumer create(QueueSettings settings, MessageHandler handler, @Nullable MessageHandler expired,
			@Nullable Executor executor) {
		return create(settings, Handlers.of(handler, expired), executor);
	}

	@Override
	public QueueConsumer create(QueueSettings settings, BatchHandler handler, BatchSettings batches,
			@Nullable MessageHandler expired, @Nullable Executor executor) {
		Assert.isTrue(settings.concurrency() >= batches.most(),
				() -> "concurrency is " + settings.concurrency() + " but must be at least a batch, " + batches.most());
		return create(settings, Handlers.of(handler, batches, expired), executor);
	}

	private QueueConsumer create(QueueSettings settings, Handlers handlers, @Nullable Executor executor) {
		return new RedisQueueConsumer(settings, handlers, executor, this.ownThreads, this.tools);
	}

}
