package io.delayqueue.observe;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.delayqueue.admin.QueueHold;
import io.delayqueue.event.DelayQueueEvent;
import io.delayqueue.event.DelayQueueOperatedEvent;
import io.delayqueue.event.LeaseLostEvent;
import io.delayqueue.event.ListenerPausedEvent;
import io.delayqueue.event.ListenerResumedEvent;
import io.delayqueue.event.MessageDeadLetteredEvent;
import io.delayqueue.event.MessageDroppedEvent;
import io.delayqueue.event.MessageExpiredEvent;
import io.delayqueue.event.MessagesLostEvent;
import io.delayqueue.event.MessagesRepairedEvent;
import io.delayqueue.event.QueueHeldEvent;
import io.delayqueue.event.QueueReleasedEvent;
import io.delayqueue.queue.DaemonThreads;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.StoredId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Publishes Spring application events about messages and queues. Accepts events from the
 * threads that renew leases and settle messages. Publishes the events one after the other
 * on a separate thread, which is created on demand and ends after 10 idle seconds. Safe
 * for use by several threads.
 */
public final class EventPublisher implements QueueObserver, SmartLifecycle, AutoCloseable, AopInfrastructureBean {

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
	 * @param phase the lifecycle phase of the publisher, which must stop after every
	 * component that publishes events
	 */
	public EventPublisher(ApplicationEventPublisher publisher, int phase) {
		this.publisher = publisher;
		this.phase = phase;
		this.thread.setThreadFactory(new DaemonThreads("delayqueue-events-"));
		this.thread.setCorePoolSize(1);
		this.thread.setMaxPoolSize(1);
		this.thread.setQueueCapacity(MOST_WAITING);
		this.thread.setAllowCoreThreadTimeOut(true);
		this.thread.setKeepAliveSeconds(IDLE_SECONDS);
		this.thread.initialize();
	}

	@Override
	public void deadLettered(String queue, StoredId id, String reason, @Nullable String exception, String message) {
		publish(new MessageDeadLetteredEvent(queue, id.id(), id.group(), reason, exception, message));
	}

	@Override
	public void expired(String queue, StoredId id, MessageExpiredEvent.Outcome outcome) {
		publish(new MessageExpiredEvent(queue, id.id(), id.group(), outcome));
	}

	@Override
	public void dropped(String queue, String group, String id) {
		publish(new MessageDroppedEvent(queue, group, id));
	}

	@Override
	public void leaseLost(String queue, StoredId id) {
		publish(new LeaseLostEvent(queue, id.id(), id.group()));
	}

	@Override
	public void repaired(String queue, Damage damage, List<StoredId> ids) {
		publish(switch (damage) {
			case NO_PLACE -> repaired(queue, MessagesRepairedEvent.Damage.NO_PLACE, ids);
			case TWO_PLACES -> repaired(queue, MessagesRepairedEvent.Damage.TWO_PLACES, ids);
			case EARLY -> repaired(queue, MessagesRepairedEvent.Damage.EARLY, ids);
			case LEFT_OVER -> repaired(queue, MessagesRepairedEvent.Damage.LEFT_OVER, ids);
			case LOST -> new MessagesLostEvent(queue,
					ids.stream().map((id) -> new MessagesLostEvent.Message(id.id(), id.group())).toList());
		});
	}

	@Override
	public void paused(String queue) {
		publish(new ListenerPausedEvent(queue));
	}

	@Override
	public void resumed(String queue) {
		publish(new ListenerResumedEvent(queue));
	}

	@Override
	public void held(QueueHold hold) {
		publish(new QueueHeldEvent(hold));
	}

	@Override
	public void holdEnded(String queue, @Nullable String group) {
		publish(new QueueReleasedEvent(queue, group));
	}

	@Override
	public void operated(DelayQueueOperatedEvent operated) {
		publish(operated);
	}

	private static MessagesRepairedEvent repaired(String queue, MessagesRepairedEvent.Damage damage,
			List<StoredId> ids) {
		return new MessagesRepairedEvent(queue, damage, ids.size());
	}

	/** Enqueues an event for publication, and returns immediately. */
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

	/**
	 * Ends the thread that publishes events, and interrupts an event listener that is
	 * running.
	 */
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
