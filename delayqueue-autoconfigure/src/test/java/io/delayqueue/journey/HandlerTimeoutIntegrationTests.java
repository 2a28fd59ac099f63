package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerErrorHandler;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The timeouts of listeners and queues: what happens to the handler, and what becomes of
 * its message.
 */
class HandlerTimeoutIntegrationTests {

	private final RedisServer redis = RedisServer.builder().start();

	private final TestApplication applications = new TestApplication(this.redis.uri())
		.with("delayqueue.defaults.max-attempts=1")
		.with("delayqueue.defaults.back-off.first=50ms");

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	@Test
	void handlerIsInterruptedAndItsAttemptTimesOut() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class);
		assertThat(app.getBean(DelayedListenerRegistry.class).container("jobs").orElseThrow().timeout())
			.isEqualTo(Duration.ofSeconds(1));
		schedule(app, "jobs", "m", "wait");

		DeadLetter dead = awaitDeadLetter(app, "jobs", "m");
		assertThat(dead.reason()).isEqualTo("TIMED_OUT");
		assertThat(dead.exception()).isEqualTo(HandlerTimeoutException.class.getName());
		assertThat(dead.message()).contains("PT1S").contains("delayqueue-jobs-");
		Listener listener = app.getBean(Listener.class);
		Awaitility.await().untilAsserted(() -> assertThat(listener.ends).containsExactly("interrupted"));
		Awaitility.await().until(() -> health(app).abandoned().isEmpty());
		assertThat(health(app).status()).isEqualTo(Status.UP);
	}

	@EnabledForJreRange(min = JRE.JAVA_21)
	@Test
	void handlerOnVirtualThreadIsInterruptedToo() {
		ConfigurableApplicationContext app = this.applications.with("spring.threads.virtual.enabled=true")
			.start(Listener.class);
		schedule(app, "jobs", "m", "wait");

		assertThat(awaitDeadLetter(app, "jobs", "m").reason()).isEqualTo("TIMED_OUT");
		Listener listener = app.getBean(Listener.class);
		Awaitility.await().untilAsserted(() -> assertThat(listener.ends).containsExactly("interrupted"));
	}

	@Test
	void timeoutOfQueueAppliesToListenerWithoutOneOfItsOwn() {
		ConfigurableApplicationContext app = this.applications.with("delayqueue.queues.plain.timeout=1s")
			.start(Listener.class);
		schedule(app, "plain", "m", "wait");

		assertThat(awaitDeadLetter(app, "plain", "m").reason()).isEqualTo("TIMED_OUT");
	}

	@Test
	void openStageIsCancelled() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class);
		schedule(app, "stages", "m", "wait");

		assertThat(awaitDeadLetter(app, "stages", "m").message()).contains("stage");
		assertThat(app.getBean(Listener.class).stage).isCancelled();
		Awaitility.await().until(() -> health(app).abandoned().isEmpty());
	}

	@Test
	void messagesOfBatchThatTimesOutAreRetriedOneByOne() {
		ConfigurableApplicationContext app = this.applications.with("delayqueue.defaults.max-attempts=2")
			.start(Listener.class);
		schedule(app, "batches", "a", "wait");
		schedule(app, "batches", "b", "work");

		Listener listener = app.getBean(Listener.class);
		assertThat(listener.handled.await(1)).extracting(Handled.Run::id).containsExactly("b");
		assertThat(awaitDeadLetter(app, "batches", "a").reason()).isEqualTo("TIMED_OUT");
		assertThat(listener.batches).hasSize(3).first().isEqualTo(List.of("a", "b"));
		assertThat(listener.batches).element(1).satisfies((batch) -> assertThat(batch).hasSize(1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "rescued", "rescued-stages" })
	void errorHandlerDecidesOnTimeoutAndIgnoresInterruptedHandler(String queue) {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Rescued.class, Rescue.class);
		schedule(app, queue, "m", "wait");

		Listener listener = app.getBean(Listener.class);
		Awaitility.await()
			.until(() -> app.getBean(DelayQueueOperations.class).find(queue, "m").isEmpty()
					&& health(app).abandoned().isEmpty());
		assertThat(app.getBean(DelayQueueAdmin.class).deadLetter(MessageKey.of(queue, "m"))).isEmpty();
		assertThat(listener.failures).singleElement().isInstanceOf(HandlerTimeoutException.class);
	}

	/**
	 * An exception of the handler after the timeout is an ordinary failure, which the
	 * error handler has received already.
	 */
	@Test
	void errorHandlerSeesATimeoutThatTheListenerThrowsOnce() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Rescued.class, Rescue.class);
		schedule(app, "rescued", "m", "throw");

		Listener listener = app.getBean(Listener.class);
		Awaitility.await().until(() -> app.getBean(DelayQueueOperations.class).find("rescued", "m").isEmpty());
		assertThat(listener.failures).hasSize(1);
	}

	@Test
	void errorHandlerThatHangsTimesOutToo() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Rescued.class,
				HangingRescue.class);
		schedule(app, "rescued", "m", "wait");

		assertThat(awaitDeadLetter(app, "rescued", "m").reason()).isEqualTo("TIMED_OUT");
	}

	/**
	 * The thread of a handler that ends just when it times out takes the next message: it
	 * must not see an interrupt.
	 */
	@Test
	void interruptNeverReachesNextMessageOfTheThread() {
		ConfigurableApplicationContext app = this.applications.with("delayqueue.defaults.max-attempts=100")
			.start(Listener.class);
		DelayQueueOperations queue = app.getBean(DelayQueueOperations.class);
		List<ScheduleRequest> requests = IntStream.range(0, 60)
			.mapToObj((i) -> ScheduleRequest.to("edges")
				.id("m" + i)
				.payload((i % 3 == 0) ? "edge" : "work")
				.delay(Duration.ZERO))
			.toList();
		queue.scheduleAll(requests);

		Listener listener = app.getBean(Listener.class);
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> listener.handled.ids().stream().distinct().count() >= 40 && listener.ends.size() >= 20);
		assertThat(listener.interruptedAtBegin).isEmpty();
		assertThat(listener.interruptedAtWork).isEmpty();
	}

	private static void schedule(ConfigurableApplicationContext app, String queue, String id, String payload) {
		app.getBean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to(queue).id(id).payload(payload).delay(Duration.ZERO));
	}

	private static DeadLetter awaitDeadLetter(ConfigurableApplicationContext app, String queue, String id) {
		DelayQueueAdmin admin = app.getBean(DelayQueueAdmin.class);
		Awaitility.await().until(() -> admin.deadLetter(MessageKey.of(queue, id)).isPresent());
		return admin.deadLetter(MessageKey.of(queue, id)).orElseThrow();
	}

	/** The details of all listeners in health. */
	private record Shown(Status status, List<String> abandoned) {
	}

	private static Shown health(ConfigurableApplicationContext app) {
		return new Shown(app.getBean(DelayQueueHealthIndicator.class).health().getStatus(),
				app.getBean(DelayedListenerRegistry.class)
					.containers()
					.stream()
					.flatMap((container) -> container.abandoned().runs().stream())
					.toList());
	}

	static class Rescue {

		@Bean
		DelayedListenerErrorHandler rescue(Listener listener) {
			return (message, failure) -> listener.failures.add(failure);
		}

	}

	static class HangingRescue {

		@Bean
		DelayedListenerErrorHandler rescue() {
			return (message, failure) -> new CountDownLatch(1).await();
		}

	}

	static class Rescued {

		private final Listener listener;

		Rescued(Listener listener) {
			this.listener = listener;
		}

		@DelayedListener(queue = "rescued", timeout = "1s", errorHandler = "rescue")
		void handle(DelayedMessage<String> message) throws InterruptedException {
			this.listener.handleOf(message);
		}

		@DelayedListener(queue = "rescued-stages", timeout = "1s", errorHandler = "rescue")
		CompletionStage<?> handleLater(DelayedMessage<String> message) {
			return this.listener.stage;
		}

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
