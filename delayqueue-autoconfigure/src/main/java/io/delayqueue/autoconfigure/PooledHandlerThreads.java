package io.delayqueue.autoconfigure;

import io.delayqueue.delivery.HandlerThreads;
import io.delayqueue.queue.QueueSettings;

import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Platform threads: as many as messages are handled at once, made when they are needed,
 * gone when they are idle.
 */
final class PooledHandlerThreads implements HandlerThreads {

	private static final int IDLE_SECONDS = 30;

	@Override
	public Threads create(QueueSettings settings) {
		ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
		pool.setThreadNamePrefix("delayqueue-" + settings.name() + "-");
		pool.setCorePoolSize(settings.concurrency());
		pool.setAllowCoreThreadTimeOut(true);
		pool.setKeepAliveSeconds(IDLE_SECONDS);
		pool.setDaemon(true);
		pool.initialize();
		return new Threads(pool, pool::destroy);
	}

}
