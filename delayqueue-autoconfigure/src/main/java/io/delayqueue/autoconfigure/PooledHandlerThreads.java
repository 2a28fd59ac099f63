package io.delayqueue.autoconfigure;

import io.delayqueue.delivery.HandlerThreads;
import io.delayqueue.queue.QueueSettings;

import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Platform threads, created on demand and ended when idle. The pool has twice as many
 * threads as the concurrency, because abandoned handlers still occupy their threads.
 */
final class PooledHandlerThreads implements HandlerThreads {

	private static final int IDLE_SECONDS = 30;

	@Override
	public Threads create(QueueSettings settings) {
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

}
