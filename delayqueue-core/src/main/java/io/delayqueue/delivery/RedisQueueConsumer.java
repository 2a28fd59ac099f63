package io.delayqueue.delivery;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import io.delayqueue.delivery.HandlerThreads.Threads;
import io.delayqueue.observe.AbandonedRuns;
import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * Consumes one queue through the consumer group of each partition's stream.
 */
final class RedisQueueConsumer implements QueueConsumer {

	// immutable

	private final QueueSettings settings;

	private final Handlers handlers;

	private final @Nullable Executor executor;

	private final HandlerThreads ownThreads;

	private final ConsumerTools tools;

	// shared and safe

	private final AtomicBoolean paused = new AtomicBoolean();

	private volatile @Nullable RunningConsumer run;

	RedisQueueConsumer(QueueSettings settings, Handlers handlers, @Nullable Executor executor,
			HandlerThreads ownThreads, ConsumerTools tools) {
		this.settings = settings;
		this.handlers = handlers;
		this.executor = executor;
		this.ownThreads = ownThreads;
		this.tools = tools;
	}

	@Override
	public synchronized void start() {
		if (this.run == null) {
			RunningConsumer started = new RunningConsumer(this.settings, this.handlers, this::threads, this.tools,
					this::isPaused);
			started.start();
			this.run = started;
		}
	}

	private Threads threads(int handlers) {
		return (this.executor != null) ? new Threads(this.executor, () -> {
		}) : this.ownThreads.create(this.settings.withConcurrency(handlers));
	}

	@Override
	public synchronized void stop(Duration timeout) {
		RunningConsumer running = this.run;
		if (running != null) {
			running.stop(timeout);
			this.run = null;
		}
	}

	@Override
	public void pause() {
		if (this.paused.compareAndSet(false, true)) {
			this.tools.observer().paused(this.settings.name());
		}
	}

	@Override
	public void resume() {
		if (!this.paused.compareAndSet(true, false)) {
			return;
		}
		this.tools.observer().resumed(this.settings.name());
		RunningConsumer running = this.run;
		if (running != null) {
			running.wakeUp();
		}
	}

	@Override
	public boolean isRunning() {
		return this.run != null;
	}

	@Override
	public boolean isPaused() {
		return this.paused.get();
	}

	@Override
	public AbandonedRuns abandoned() {
		RunningConsumer running = this.run;
		return (running != null) ? running.abandoned() : AbandonedRuns.NONE;
	}

	@Override
	public int inFlight() {
		RunningConsumer running = this.run;
		return (running != null) ? running.inFlight() : 0;
	}

}
