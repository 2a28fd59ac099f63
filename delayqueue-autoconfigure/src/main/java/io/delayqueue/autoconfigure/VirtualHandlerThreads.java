package io.delayqueue.autoconfigure;

import io.delayqueue.delivery.HandlerThreads;
import io.delayqueue.queue.QueueSettings;

import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Virtual threads. A new thread is created for each burst of messages.
 */
final class VirtualHandlerThreads implements HandlerThreads {

	@Override
	public Threads create(QueueSettings settings) {
		SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("delayqueue-" + settings.name() + "-");
		threads.setVirtualThreads(true);
		return new Threads(threads, threads::close);
	}

}
