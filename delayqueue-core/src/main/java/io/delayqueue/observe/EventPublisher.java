package io.delayqueue.observe;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.delayqueue.event.DelayQueueEvent;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Accepts events from the threads that renew leases and settle messages, and publishes
 * them one after the other on a separate thread. That thread is created on demand and
 * ends after 10 idle seconds. Safe for use by several threads.
 */
public final class EventPublisher implements SmartLifecycle, AutoCloseable {

	/** Maximum number of waiting events; further events are dropped. */
	static final int MOST_WAITING = 10_000;

	private static final Log logger = LogFactory.getLog(EventPublisher.class);

	private static final Duration LAST = Duration.ofSeconds(2);

	private static final int IDLE_SECONDS = 10;

	// immutable

	private final ApplicationEventPublisher publisher;

	private final int phase;

	private final ThreadPoolTaskExecutor thread = new ThreadPoolTaskExecutor();

	// shared and safe

	private final AtomicLong dropped = new AtomicLong();

	private volatile boolean running;

	private volatile boolean stopping;

	/**
	 * Creates the publisher without starting its thread.
	 * @param publisher publishes the events
	 * @param phase the lifecycle phase; must stop after every component that publishes
	 * events
	 */
	public EventPublisher(ApplicationEventPublisher publisher, int phase) {
		this.publisher = publisher;
		this.phase = phase;
		this.thread.setThreadNamePrefix("delayqueue-events-");
		this.thread.setDaemon(true);
		this.thread.setCorePoolSize(1);
		this.thread.setMaxPoolSize(1);
		this.thread.setQueueCapacity(MOST_WAITING);
		this.thread.setAllowCoreThreadTimeOut(true);
		this.thread.setKeepAliveSeconds(IDLE_SECONDS);
		this.thread.initialize();
	}

	/** Enqueues an event for publication and returns immediately. */
	void publish(DelayQueueEvent event) {
		if (!execute(() -> deliver(event)) && !this.stopping && this.dropped.getAndIncrement() == 0) {
			logger.warn(MOST_WAITING
					+ " events are waiting because an event listener is slow or blocked: further events are"
					+ " dropped, starting with " + event + ". Message delivery continues");
		}
	}

	@Override
	public void start() {
		this.stopping = false;
		this.running = true;
	}

	/** Waits up to 2 seconds for the waiting events to be published. */
	@Override
	public void stop() {
		this.stopping = true;
		this.running = false;
		CountDownLatch published = new CountDownLatch(1);
		try {
			if (isBusy()
					&& (!execute(published::countDown) || !published.await(LAST.toNanos(), TimeUnit.NANOSECONDS))) {
				logger.debug("The last events may not have been published");
			}
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

	/** Ends the thread and interrupts a running event listener. */
	@Override
	public void close() {
		this.stopping = true;
		this.thread.destroy();
	}

	private boolean isBusy() {
		return this.thread.getActiveCount() > 0 || this.thread.getQueueSize() > 0;
	}

	private boolean execute(Runnable task) {
		try {
			this.thread.execute(task);
			return true;
		}
		catch (RuntimeException | Error full) {
			return false;
		}
	}

	private void deliver(DelayQueueEvent event) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (RuntimeException | Error failure) {
			if (this.stopping) {
				logger.debug(event + " could not be published during shutdown", failure);
			}
			else {
				logger.warn("A listener of " + event + " failed; message delivery continues", failure);
			}
		}
		if (this.thread.getQueueSize() == 0) {
			long missed = this.dropped.getAndSet(0);
			if (missed > 0) {
				logger.warn(missed + " events were dropped because too many events were waiting for a listener");
			}
		}
	}

}
