package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.event.MessageExpiredEvent;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.test.redis.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application with listeners of messages that expire.
 */
@SuppressWarnings("NullAway.Init")
abstract class ExpiringMessages {

	static final Duration SHORT = Duration.ofMillis(300);

	private TestApplication application;

	ConfigurableApplicationContext context;

	DelayQueueOperations queue;

	DelayQueueAdmin admin;

	Late late;

	@BeforeEach
	void start() {
		this.application = new TestApplication(SharedRedis.get().uri()).with("delayqueue.defaults.back-off.first=20ms")
			.with("delayqueue.queues.dropping.expiry.then=drop")
			.with("delayqueue.queues.dropping.expiry.after=" + SHORT.toMillis() + "ms");
		this.context = this.application.start(Late.class);
		this.queue = this.context.getBean(DelayQueueOperations.class);
		this.admin = this.context.getBean(DelayQueueAdmin.class);
		this.late = this.context.getBean(Late.class);
	}

	@AfterEach
	void stop() {
		this.late.go.countDown();
		this.application.close();
	}

	/**
	 * Schedules messages that have expired when they are read, while the listener is
	 * stopped.
	 */
	void scheduleStopped(String name, String... ids) {
		DelayedListenerRegistry registry = this.context.getBean(DelayedListenerRegistry.class);
		registry.stop(name);
		for (String id : ids) {
			ScheduleRequest request = request(name, id);
			Instant due = schedule(
					id.equals("in time") || name.equals("dropping") ? request : request.expireAfter(SHORT));
			awaitPast(due.plus(SHORT));
		}
		registry.start(name);
	}

	static ScheduleRequest request(String name, String id) {
		return ScheduleRequest.to(name).id(id).payload(id).delay(Duration.ZERO);
	}

	/** Schedules, and returns the expiry if it is near. */
	Instant schedule(ScheduleRequest request) {
		return this.queue.schedule(request).dueAt().plus(request.expireAfter().orElse(Duration.ZERO));
	}

	/** The server and the test share a clock. */
	static void awaitPast(Instant expiry) {
		Awaitility.await().until(() -> Instant.now().isAfter(expiry.plusMillis(10)));
	}

	DeadLetter awaitDead(String name, String id) {
		MessageKey key = MessageKey.of(name, id);
		Awaitility.await().until(() -> this.admin.deadLetter(key).isPresent());
		return this.admin.deadLetter(key).orElseThrow();
	}

	void awaitGone(String name, String id) {
		Awaitility.await().until(() -> this.queue.find(name, id).isEmpty());
	}

	@Configuration(proxyBeanMethods = false)
	static class Late {

		final Handled handled = new Handled();

		final Handled handedOver = new Handled();

		final List<List<String>> batches = new CopyOnWriteArrayList<>();

		final List<String> expired = new CopyOnWriteArrayList<>();

		final CountDownLatch begun = new CountDownLatch(1);

		final CountDownLatch go = new CountDownLatch(1);

		@DelayedListener(queue = "plain")
		void plain(DelayedMessage<String> message) {
			this.handled.add(message);
		}

		@DelayedListener(queue = "dropping")
		void dropping(DelayedMessage<String> message) {
			this.handled.add(message);
		}

		@DelayedListener(queue = "one-thread", executor = "oneThread", concurrency = "3")
		void oneThread(DelayedMessage<String> message) throws InterruptedException {
			this.begun.countDown();
			this.go.await();
			this.handled.add(message);
		}

		@DelayedListener(queue = "failing")
		void failing(DelayedMessage<String> message) {
			this.handled.add(message);
			throw new IllegalStateException("no way");
		}

		@DelayedListener(queue = "batched", batch = "8", batchWait = "1s")
		void batched(List<DelayedMessage<String>> batch) {
			this.batches.add(batch.stream().map(DelayedMessage::id).toList());
			batch.forEach(this.handled::add);
		}

		@DelayedListener(queue = "handed")
		void handed(DelayedMessage<String> message) {
			this.handled.add(message);
		}

		@DelayedListener(queue = "handed", expired = true)
		void expired(DelayedMessage<String> message) {
			this.handedOver.add(message);
			if (message.id().equals("never") || message.attempt() == 1) {
				throw new IllegalStateException("not this time");
			}
		}

		@DelayedListener(queue = "handed-batches", batch = "8", batchWait = "100ms")
		void handedBatches(List<DelayedMessage<String>> batch) {
			batched(batch);
		}

		@DelayedListener(queue = "handed-batches", expired = true)
		void expiredOfBatches(DelayedMessage<String> message) {
			this.handedOver.add(message);
		}

		@Bean(destroyMethod = "shutdownNow")
		ExecutorService oneThread() {
			return Executors.newSingleThreadExecutor();
		}

		@Bean
		QueueObserver expiries() {
			return new QueueObserver() {

				@Override
				public void expired(String queue, String id, MessageExpiredEvent.Outcome outcome) {
					Late.this.expired.add(id + " " + outcome);
				}

			};
		}

	}

}
