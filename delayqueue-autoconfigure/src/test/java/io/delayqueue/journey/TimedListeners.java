package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.HandlerTimeoutException;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.DelayQueueHealthIndicator;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;

import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * An application whose listeners have timeouts, on a Redis server of its own.
 */
abstract class TimedListeners {

	private final RedisServer redis = RedisServer.builder().start();

	final TestApplication applications = new TestApplication(this.redis.uri())
		.with("delayqueue.defaults.max-attempts=1")
		.with("delayqueue.defaults.back-off.first=50ms");

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	static void schedule(ConfigurableApplicationContext app, String queue, String id, String payload) {
		app.getBean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to(queue).id(id).payload(payload).delay(Duration.ZERO));
	}

	static DeadLetter awaitDeadLetter(ConfigurableApplicationContext app, String queue, String id) {
		DelayQueueAdmin admin = app.getBean(DelayQueueAdmin.class);
		Awaitility.await().until(() -> admin.deadLetter(MessageKey.of(queue, id)).isPresent());
		return admin.deadLetter(MessageKey.of(queue, id)).orElseThrow();
	}

	/** The details of all listeners in health. */
	record Shown(Status status, List<String> abandoned) {
	}

	static Shown health(ConfigurableApplicationContext app) {
		return new Shown(app.getBean(DelayQueueHealthIndicator.class).health().getStatus(),
				app.getBean(DelayedListenerRegistry.class)
					.containers()
					.stream()
					.flatMap((container) -> container.abandoned().runs().stream())
					.toList());
	}

	static class Listener {

		final Handled handled = new Handled();

		final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

		final BlockingQueue<String> interruptedAtBegin = new LinkedBlockingQueue<>();

		final BlockingQueue<String> interruptedAtWork = new LinkedBlockingQueue<>();

		final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();

		final BlockingQueue<List<String>> batches = new LinkedBlockingQueue<>();

		final CompletableFuture<String> stage = new CompletableFuture<>();

		@DelayedListener(queue = "jobs", timeout = "1s")
		void handle(DelayedMessage<String> message) throws InterruptedException {
			handleOf(message);
		}

		@DelayedListener(queue = "plain")
		void handlePlainly(DelayedMessage<String> message) throws InterruptedException {
			handleOf(message);
		}

		void handleOf(DelayedMessage<String> message) throws InterruptedException {
			if (message.payload().equals("throw")) {
				throw new HandlerTimeoutException(Duration.ofSeconds(5), null);
			}
			if (message.payload().equals("wait")) {
				try {
					new CountDownLatch(1).await();
				}
				catch (InterruptedException interrupted) {
					this.ends.add("interrupted");
					throw interrupted;
				}
			}
			this.handled.add(message);
		}

		@DelayedListener(queue = "stages", timeout = "1s")
		CompletionStage<?> handleLater(DelayedMessage<String> message) {
			return this.stage;
		}

		@DelayedListener(queue = "batches", timeout = "1s", batch = "2", batchWait = "300ms", concurrency = "2")
		void handleAll(List<DelayedMessage<String>> batch) throws InterruptedException {
			this.batches.add(batch.stream().map(DelayedMessage::id).toList());
			for (DelayedMessage<String> message : batch) {
				handleOf(message);
			}
		}

		/** Ends as near to its timeout as it can, with and without an interrupt. */
		@DelayedListener(queue = "edges", timeout = "1s", concurrency = "4")
		void handleAtTheEdge(DelayedMessage<String> message) {
			if (Thread.currentThread().isInterrupted()) {
				this.interruptedAtBegin.add(message.id());
			}
			if (message.payload().equals("edge") && message.attempt() == 1) {
				long end = System.nanoTime() + 1_000_000_000L;
				while (System.nanoTime() < end) {
					Thread.onSpinWait();
				}
				this.ends.add(message.id());
				return;
			}
			if (Thread.currentThread().isInterrupted()) {
				this.interruptedAtWork.add(message.id());
			}
			this.handled.add(message);
		}

	}

}
