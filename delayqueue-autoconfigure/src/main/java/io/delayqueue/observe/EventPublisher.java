package io.delayqueue.observe;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.delayqueue.DelayQueueEvent;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Takes events from the threads that keep leases and settle messages, and publishes them
 * one after the other on a thread of its own. That thread is made when there is an event,
 * and gone when there was none for a while. Safe for use by several threads.
 */
public final class EventPublisher implements SmartLifecycle, AutoCloseable {

	/** How many events wait at most; what comes on top is dropped. */
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
	 * Creates a hand-over without a thread.
	 * @param publisher publishes the events
	 * @param phase when to stop: after whatever makes events
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

	/** Takes an event; returns at once. */
	void publish(DelayQueueEvent event) {
		if (!execute(() -> deliver(event)) && !this.stopping && this.dropped.getAndIncrement() == 0) {
			logger.warn(MOST_WAITING + " events wait for a listener that is slow or hangs: further ones are dropped,"
					+ " the first of them is " + event + ". Messages are delivered all the same");
		}
	}

	@Override
	public void start() {
		this.stopping = false;
		this.running = true;
	}

	/** Gives the events that wait some time. */
	@Override
	public void stop() {
		this.stopping = true;
		this.running = false;
		CountDownLatch published = new CountDownLatch(1);
		try {
			if (isBusy()
					&& (!execute(published::countDown) || !published.await(LAST.toNanos(), TimeUnit.NANOSECONDS))) {
				logger.debug("The last events are perhaps not published");
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

	/** Ends the thread; a listener that runs is interrupted. */
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
				logger.debug(event + " could not be told any more", failure);
			}
			else {
				logger.warn("A listener of " + event + " has failed; messages are delivered all the same", failure);
			}
		}
		if (this.thread.getQueueSize() == 0) {
			long missed = this.dropped.getAndSet(0);
			if (missed > 0) {
				logger.warn(missed + " events were dropped while others waited for a listener");
			}
		}
	}

}
