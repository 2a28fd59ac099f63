package io.delayqueue.listener;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import io.delayqueue.delivery.BatchHandler;
import io.delayqueue.delivery.BatchSettings;
import io.delayqueue.delivery.MessageHandler;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.delivery.QueueConsumerFactory;
import io.delayqueue.observe.AbandonedRuns;
import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * Makes consumers that read nothing and remember everything. A test hands deliveries to
 * the handlers itself.
 */
final class InMemoryConsumers implements QueueConsumerFactory {

	private final Map<String, InMemoryConsumer> byQueue = new ConcurrentHashMap<>();

	/** Runs within every stop. */
	volatile Runnable onStop = () -> {
	};

	@Override
	public QueueConsumer create(QueueSettings settings, MessageHandler handler, @Nullable MessageHandler expired,
			@Nullable Executor executor) {
		InMemoryConsumer consumer = new InMemoryConsumer(this, settings, handler, null, executor);
		consumer.expired = expired;
		return add(consumer);
	}

	@Override
	public QueueConsumer create(QueueSettings settings, BatchHandler handler, BatchSettings batches,
			@Nullable MessageHandler expired, @Nullable Executor executor) {
		InMemoryConsumer consumer = new InMemoryConsumer(this, settings, (delivery) -> {
			throw new AssertionError("takes batches");
		}, handler, executor);
		consumer.batches = batches;
		consumer.expired = expired;
		return add(consumer);
	}

	private InMemoryConsumer add(InMemoryConsumer consumer) {
		QueueSettings settings = consumer.settings;
		if (this.byQueue.put(settings.name(), consumer) != null) {
			throw new IllegalStateException("A second consumer for queue '" + settings.name() + "'");
		}
		return consumer;
	}

	InMemoryConsumer of(String queue) {
		return Objects.requireNonNull(this.byQueue.get(queue), () -> "No consumer for queue '" + queue + "'");
	}

	Map<String, InMemoryConsumer> all() {
		return this.byQueue;
	}

	static final class InMemoryConsumer implements QueueConsumer {

		final QueueSettings settings;

		final MessageHandler handler;

		final @Nullable BatchHandler batchHandler;

		@Nullable BatchSettings batches;

		@Nullable MessageHandler expired;

		final @Nullable Executor executor;

		private final InMemoryConsumers all;

		volatile @Nullable Duration stopTimeout;

		volatile int starts;

		private volatile boolean running;

		private volatile boolean paused;

		private InMemoryConsumer(InMemoryConsumers all, QueueSettings settings, MessageHandler handler,
				@Nullable BatchHandler batchHandler, @Nullable Executor executor) {
			this.all = all;
			this.settings = settings;
			this.handler = handler;
			this.batchHandler = batchHandler;
			this.executor = executor;
		}

		@Override
		public synchronized void start() {
			if (!this.running) {
				this.starts++;
			}
			this.running = true;
		}

		@Override
		public void stop(Duration timeout) {
			this.stopTimeout = timeout;
			this.all.onStop.run();
			this.running = false;
		}

		@Override
		public void pause() {
			this.paused = true;
		}

		@Override
		public void resume() {
			this.paused = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public boolean isPaused() {
			return this.paused;
		}

		@Override
		public AbandonedRuns abandoned() {
			return AbandonedRuns.NONE;
		}

		@Override
		public int inFlight() {
			return this.running ? 7 : 0;
		}

	}

}
