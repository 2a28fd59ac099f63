package io.delayqueue.delivery;

import java.util.concurrent.Executor;

import io.delayqueue.queue.DaemonThreads;
import io.delayqueue.queue.QueueSettings;

import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Creates the threads that call the handlers of a consumer whose listener names no
 * executor.
 */
@FunctionalInterface
public interface HandlerThreads {

	/**
	 * Creates the threads of a consumer. The consumer calls this method at each start.
	 * @param settings the queue's settings; the concurrency is the number of handlers
	 * that run at once
	 * @return at most twice as many threads as the concurrency, because an abandoned
	 * (timed-out) handler keeps its thread until it ends
	 */
	Threads create(QueueSettings settings);

	/**
	 * Returns a factory of pools of platform threads, which are created on demand and end
	 * when idle. A pool has at most twice as many threads as the concurrency, because
	 * abandoned handlers still occupy their threads.
	 * @return the factory
	 */
	static HandlerThreads platform() {
		return (settings) -> {
			ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
			pool.setThreadFactory(new DaemonThreads("delayqueue-" + settings.name() + "-"));
			pool.setCorePoolSize(0);
			pool.setMaxPoolSize(2 * settings.concurrency());
			pool.setQueueCapacity(0);
			pool.setKeepAliveSeconds(30);
			pool.initialize();
			return new Threads(pool, pool::destroy);
		};
	}

	/**
	 * Returns a factory of executors that start a new virtual thread for each worker. The
	 * thread ends when no message waits for the worker. Needs Java 21.
	 * @return the factory
	 */
	static HandlerThreads virtual() {
		return (settings) -> {
			SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("delayqueue-" + settings.name() + "-");
			threads.setVirtualThreads(true);
			// Interrupt handlers that still run at the end, as a pool does
			threads.setCancelRemainingTasksOnClose(true);
			return new Threads(threads, threads::close);
		};
	}

	/**
	 * An executor for handlers and the action that ends the executor.
	 *
	 * @param executor runs handlers
	 * @param end ends the executor
	 */
	record Threads(Executor executor, Runnable end) {

		void close() {
			this.end.run();
		}

	}

}
