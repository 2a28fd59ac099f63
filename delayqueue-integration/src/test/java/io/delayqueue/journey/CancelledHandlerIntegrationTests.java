package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.DelayedMessage;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.GroupCancelResult;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Messages that are cancelled, purged or replaced while their handlers run.
 */
@Tag("slow")
class CancelledHandlerIntegrationTests {

	private final RedisServer redis = RedisServer.builder().start();

	private final TestApplication applications = new TestApplication(this.redis.uri())
		.with("delayqueue.defaults.visibility-timeout=1h");

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void cancelInterruptsInterruptibleHandlerOfAnyProcess(boolean inTheSameProcess) {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Rescue.class);
		DelayQueueOperations caller = inTheSameProcess ? app.getBean(DelayQueueOperations.class)
				: this.applications.producer();
		Listener listener = begun(app, caller, "jobs", "m");

		assertThat(caller.cancel("jobs", "m")).isEqualTo(CancelResult.IN_FLIGHT);

		Awaitility.await().untilAsserted(() -> assertThat(listener.ends).containsExactly("m interrupted, cancelled"));
		Awaitility.await().until(() -> outcomes(app, "cancelled") == 1);
		assertThat(listener.failures).as("calls of the error handler").isEmpty();
		assertNothingIsLeft(app, "jobs", "m");
		schedule(caller, "jobs", "m", "work");
		assertThat(listener.handled.await(1)).extracting(Handled.Run::attempt).containsExactly(1);
	}

	@Test
	void openStageOfInterruptibleListenerIsCancelled() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Rescue.class);
		DelayQueueOperations caller = this.applications.producer();
		Listener listener = begun(app, caller, "stages", "m");

		caller.cancel("stages", "m");

		Awaitility.await().until(listener.stage::isCancelled);
		assertNothingIsLeft(app, "stages", "m");
	}

	@Test
	void otherHandlerRunsOnAndCanSeeTheCancellation() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Rescue.class);
		DelayQueueOperations caller = this.applications.producer();
		Listener listener = begun(app, caller, "plain", "m");

		caller.cancel("plain", "m");

		Awaitility.await().untilAsserted(() -> assertThat(listener.ends).containsExactly("m cancelled"));
		assertNothingIsLeft(app, "plain", "m");
	}

	static Stream<Arguments> replacements() {
		DuplicatePolicy postpone = DuplicatePolicy.postpone(Duration.ofSeconds(10));
		return Stream.of(arguments(DuplicatePolicy.replace(), true), arguments(DuplicatePolicy.replace(), false),
				arguments(postpone, true), arguments(postpone, false));
	}

	@ParameterizedTest
	@MethodSource("replacements")
	void runOfReplacedMessageEndsAndTheNewMessageFollows(DuplicatePolicy policy, boolean inTheSameProcess) {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Rescue.class);
		DelayQueueOperations caller = inTheSameProcess ? app.getBean(DelayQueueOperations.class)
				: this.applications.producer();
		Listener listener = begun(app, caller, "jobs", "m", "go");
		begun(app, caller, "jobs", "other");

		replace(caller, "jobs", "m", policy);
		caller.cancel("jobs", "other");

		// The hint of the cancellation follows that of the replacement
		Awaitility.await().until(() -> listener.ends.contains("other interrupted, cancelled"));
		listener.go.countDown();
		assertThat(listener.handled.await(2)).extracting(Handled.Run::payload).containsExactlyInAnyOrder("go", "work");
		assertThat(listener.ends).containsExactly("other interrupted, cancelled", "m ended");
		Awaitility.await().until(() -> caller.find("jobs", "m").isEmpty() && pending("jobs") == 0);
	}

	@Test
	void renewalOfTheLeaseCancelsNoRunOfAReplacedMessage() {
		ConfigurableApplicationContext app = this.applications.with("delayqueue.defaults.visibility-timeout=3s")
			.start(Listener.class, Rescue.class);
		DelayQueueOperations caller = this.applications.producer();
		Listener listener = begun(app, caller, "jobs", "m", "go");
		begun(app, caller, "jobs", "a");
		begun(app, caller, "jobs", "b");
		this.redis.call("ACL", "SETUSER", "default", "-publish");

		caller.schedule(ScheduleRequest.to("jobs")
			.id("m")
			.payload("work")
			.onDuplicate(DuplicatePolicy.replace())
			.delay(Duration.ofHours(1)));
		for (String id : List.of("a", "b")) {
			caller.cancel("jobs", id);
			Awaitility.await().until(() -> listener.ends.contains(id + " interrupted, cancelled"));
		}
		this.redis.call("ACL", "SETUSER", "default", "+publish");
		listener.go.countDown();

		assertThat(listener.handled.await(1)).extracting(Handled.Run::payload).containsExactly("go");
		assertThat(listener.ends).endsWith("m ended");
	}

	@Test
	void replacedMessageThatHasNotBegunIsNotHandled() {
		ConfigurableApplicationContext app = this.applications.start(Collector.class);
		DelayQueueOperations caller = app.getBean(DelayQueueOperations.class);
		schedule(caller, "collects", "m", "old");
		Awaitility.await().until(() -> pending("collects") == 1);

		replace(caller, "collects", "m", DuplicatePolicy.replace());

		Awaitility.await().until(() -> caller.find("collects", "m").isEmpty() && pending("collects") == 0);
		assertThat(app.getBean(Collector.class).handled.runs()).extracting(Handled.Run::payload)
			.containsExactly("work");
	}

	private static void replace(DelayQueueOperations caller, String queue, String id, DuplicatePolicy policy) {
		caller.schedule(
				ScheduleRequest.to(queue).id(id).payload("work").onDuplicate(policy).delay(Duration.ofMillis(500)));
	}

	@Test
	void cancelOfGroupAndPurgeInterruptToo() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Rescue.class);
		DelayQueueOperations caller = this.applications.producer();
		Listener listener = app.getBean(Listener.class);
		caller.schedule(ScheduleRequest.to("jobs").id("a").group("g").payload("wait").delay(Duration.ZERO));
		caller.schedule(ScheduleRequest.to("jobs").id("b").group("g").payload("wait").delay(Duration.ZERO));
		caller.schedule(ScheduleRequest.to("jobs").id("c").payload("wait").delay(Duration.ZERO));
		listener.begun.acquireUninterruptibly(3);

		assertThat(caller.cancelGroup("jobs", "g")).isEqualTo(new GroupCancelResult(0, 2));
		Awaitility.await()
			.untilAsserted(() -> assertThat(listener.ends).containsExactlyInAnyOrder("a interrupted, cancelled",
					"b interrupted, cancelled"));

		app.getBean(DelayQueueAdmin.class).purge("jobs");
		Awaitility.await().untilAsserted(() -> assertThat(listener.ends).contains("c interrupted, cancelled"));
	}

	@Test
	void messageOfBatchIsMarkedAndItsBatchIsNotInterrupted() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Rescue.class);
		DelayQueueOperations caller = this.applications.producer();
		schedule(caller, "batches", "a", "wait");
		schedule(caller, "batches", "b", "wait");
		Listener listener = app.getBean(Listener.class);
		listener.begun.acquireUninterruptibly();

		caller.cancel("batches", "b");

		Awaitility.await().untilAsserted(() -> assertThat(listener.ends).containsExactly("b cancelled"));
		assertThat(listener.handled.await(1)).extracting(Handled.Run::id).containsExactly("a");
		assertNothingIsLeft(app, "batches", "a");
		assertNothingIsLeft(app, "batches", "b");
	}

	@Test
	void lostHintIsMadeUpForByTheRenewalOfTheLease() {
		ConfigurableApplicationContext app = this.applications.with("delayqueue.defaults.visibility-timeout=3s")
			.start(Listener.class, Rescue.class);
		DelayQueueOperations caller = this.applications.producer();
		Listener listener = begun(app, caller, "jobs", "m");
		schedule(caller, "jobs", "other", "wait");
		listener.begun.acquireUninterruptibly();
		this.redis.call("ACL", "SETUSER", "default", "-publish");

		caller.cancel("jobs", "m");

		Awaitility.await().untilAsserted(() -> assertThat(listener.ends).containsExactly("m interrupted, cancelled"));
		this.redis.call("ACL", "SETUSER", "default", "+publish");
		assertThat(caller.cancel("jobs", "other")).isEqualTo(CancelResult.IN_FLIGHT);
		Awaitility.await().until(() -> listener.ends.size() == 2);
	}

	@Test
	void onlyTheCancelOfAMessageInFlightCostsAHint() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Rescue.class);
		DelayQueueOperations caller = this.applications.producer();
		begun(app, caller, "jobs", "m");
		for (int i = 0; i < 20; i++) {
			caller.schedule(ScheduleRequest.to("jobs").id("later" + i).payload("work").delay(Duration.ofHours(1)));
		}
		try (CommandLog log = CommandLog.of(this.redis)) {
			for (int i = 0; i < 20; i++) {
				assertThat(caller.cancel("jobs", "later" + i)).isEqualTo(CancelResult.CANCELLED);
				assertThat(caller.cancel("jobs", "unknown")).isEqualTo(CancelResult.NOT_FOUND);
			}
			assertThat(cancellations(log)).isZero();

			caller.cancel("jobs", "m");
			Awaitility.await().until(() -> cancellations(log) == 1);
		}
	}

	private static long cancellations(CommandLog log) {
		return log.commands()
			.stream()
			.filter((command) -> command.name().equals("PUBLISH") && command.arguments().get(1).contains("cancelled"))
			.count();
	}

	/**
	 * Waits until a handler has begun; the handler waits for an interrupt or a
	 * cancellation.
	 */
	private static Listener begun(ConfigurableApplicationContext app, DelayQueueOperations caller, String queue,
			String id) {
		return begun(app, caller, queue, id, "wait");
	}

	private static Listener begun(ConfigurableApplicationContext app, DelayQueueOperations caller, String queue,
			String id, String payload) {
		schedule(caller, queue, id, payload);
		Listener listener = app.getBean(Listener.class);
		listener.begun.acquireUninterruptibly();
		return listener;
	}

	private static void schedule(DelayQueueOperations caller, String queue, String id, String payload) {
		caller.schedule(ScheduleRequest.to(queue).id(id).payload(payload).delay(Duration.ZERO));
	}

	private static double outcomes(ConfigurableApplicationContext app, String outcome) {
		return app.getBean(MeterRegistry.class)
			.get("delayqueue.handled")
			.tag("outcome", outcome)
			.timers()
			.stream()
			.mapToDouble((timer) -> timer.count())
			.sum();
	}

	private void assertNothingIsLeft(ConfigurableApplicationContext app, String queue, String id) {
		assertThat(app.getBean(DelayQueueOperations.class).find(queue, id)).isEmpty();
		assertThat(app.getBean(DelayQueueAdmin.class).deadLetter(MessageKey.of(queue, id))).isEmpty();
		Awaitility.await().until(() -> pending(queue) == 0);
	}

	private long pending(String queue) {
		return (Long) ((List<?>) this.redis.call("XPENDING", this.applications.prefix() + ":{" + queue + ":0}:ready",
				"consumers"))
			.get(0);
	}

	static class Rescue {

		@Bean
		DelayedListenerErrorHandler rescue(Listener listener) {
			return (message, failure) -> {
				listener.failures.add(failure);
				throw failure;
			};
		}

	}

	static class Listener {

		final Handled handled = new Handled();

		final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

		final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();

		final CompletableFuture<String> stage = new CompletableFuture<>();

		final CountDownLatch go = new CountDownLatch(1);

		/** Handlers that have begun and wait. */
		final Semaphore begun = new Semaphore(0);

		@DelayedListener(queue = "jobs", interruptible = true, errorHandler = "rescue")
		void handle(DelayedMessage<String> message) throws InterruptedException {
			if (message.payload().equals("wait")) {
				this.begun.release();
				try {
					new CountDownLatch(1).await();
				}
				catch (InterruptedException interrupted) {
					this.ends.add(message.id() + " interrupted" + (message.isCancelled() ? ", cancelled" : ""));
					throw interrupted;
				}
			}
			else if (message.payload().equals("go")) {
				this.begun.release();
				this.go.await();
				this.ends.add(message.id() + (message.isCancelled() ? " cancelled" : " ended"));
			}
			this.handled.add(message);
		}

		@DelayedListener(queue = "stages", interruptible = true, errorHandler = "rescue")
		CompletionStage<?> handleLater(DelayedMessage<String> message) {
			this.begun.release();
			return this.stage;
		}

		@DelayedListener(queue = "plain", errorHandler = "rescue")
		void handlePlainly(DelayedMessage<String> message) {
			this.begun.release();
			awaitCancellation(message);
		}

		@DelayedListener(queue = "batches", batch = "2", batchWait = "500ms", concurrency = "2")
		void handleAll(List<DelayedMessage<String>> batch) {
			this.begun.release();
			awaitCancellation(batch.get(batch.size() - 1));
			batch.stream().filter((message) -> !message.isCancelled()).forEach(this.handled::add);
		}

		private void awaitCancellation(DelayedMessage<String> message) {
			while (!message.isCancelled() && !Thread.currentThread().isInterrupted()) {
				Thread.onSpinWait();
			}
			this.ends.add(message.id() + (Thread.currentThread().isInterrupted() ? " interrupted" : "") + " cancelled");
		}

	}

	static class Collector {

		final Handled handled = new Handled();

		/** Two deliveries of one message make a batch. */
		@DelayedListener(queue = "collects", batch = "2", batchWait = "1m", concurrency = "4")
		void collect(List<DelayedMessage<String>> batch) {
			batch.forEach(this.handled::add);
		}

	}

}
