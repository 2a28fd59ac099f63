package io.delayqueue.delivery;

import java.util.concurrent.Executor;

import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * Makes consumers of Redis Streams.
 */
public final class StreamConsumerFactory implements QueueConsumerFactory {

	private final ConsumerTools tools;

	private final HandlerThreads ownThreads;

	/**
	 * Creates the factory.
	 * @param tools what all consumers share
	 * @param ownThreads makes threads for consumers that are given no executor
	 */
	public StreamConsumerFactory(ConsumerTools tools, HandlerThreads ownThreads) {
		this.tools = tools;
		this.ownThreads = ownThreads;
	}

	@Override
	public QueueConsumer create(QueueSettings settings, MessageHandler handler, @Nullable Executor executor) {
		return new StreamConsumer(settings, handler, executor, this.ownThreads, this.tools);
	}

}
