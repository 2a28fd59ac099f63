package io.delayqueue.autoconfigure;

import io.delayqueue.delivery.HandlerThreads.Threads;
import io.delayqueue.queue.QueueSettings;

import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Creates threads for the handlers of a queue, with task executors of Spring.
 */
final class TaskExecutorThreads {

	private static final int IDLE_SECONDS = 30;

	private TaskExecutorThreads() {
	}

	/**
	 * Returns platform threads, which are created on demand and end when idle. The pool
	 * has twice as many threads as the concurrency, because abandoned handlers still
	 * occupy their threads.
	 */
	static Threads pooled(QueueSettings settings) {
		ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
		pool.setThreadNamePrefix("delayqueue-" + settings.name() + "-");
		pool.setCorePoolSize(0);
		pool.setMaxPoolSize(2 * settings.concurrency());
		pool.setQueueCapacity(0);
		pool.setKeepAliveSeconds(IDLE_SECONDS);
		pool.setDaemon(true);
		pool.initialize();
		return new Threads(pool, pool::destroy);
	}

	/** Returns virtual threads, of which each burst of messages gets a new one. */
	static Threads virtual(QueueSettings settings) {
		SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("delayqueue-" + settings.name() + "-");
		threads.setVirtualThreads(true);
		return new Threads(threads, threads::close);
	}

}
