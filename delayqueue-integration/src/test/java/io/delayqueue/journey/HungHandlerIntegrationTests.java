package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.DelayQueueHealthIndicator;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.Hang;
import io.delayqueue.journey.fixture.Handled.Run;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that never return or take long, beside messages that must not wait for them.
 */
@Tag("slow")
class HungHandlerIntegrationTests {

	private final RedisServer redis = RedisServer.builder().start();

	private final TestApplication applications = new TestApplication(this.redis.uri())
		.with("delayqueue.defaults.visibility-timeout=3s")
		.with("delayqueue.defaults.timeout=1s")
		.with("delayqueue.defaults.max-attempts=2")
		.with("delayqueue.defaults.back-off.first=50ms");

	@BeforeEach
	void newLatches() {
		Listener.never = new Hang();
	}

	@AfterEach
	void stopAll() {
		Listener.never.end();
		this.applications.close();
		this.redis.close();
	}

	@Test
	@DisplayName("row 51: a handler that never returns delays no other message, and its message becomes a dead letter")
	void handlerThatNeverReturnsStopsNeitherItsQueueNorItsMessage() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class, Meters.class);
		schedule(app, "hung", "hang");
		List<String> ordinary = schedule(app, 160, "work");

		Handled handled = app.getBean(Listener.class).handled;
		assertThat(handled.await(160)).extracting(Run::id).containsExactlyInAnyOrderElementsOf(ordinary);
		DeadLetter dead = awaitDeadLetter(app, "hung");
		assertThat(dead.reason()).isEqualTo("TIMED_OUT");
		assertThat(dead.message()).contains("timeout").contains("delayqueue-jobs-");
		assertThat(dead.failures()).as("attempts").isEqualTo(2);
		assertThat(dead.crashes()).isZero();
		assertThat(app.getBean(SimpleMeterRegistry.class)
			.get("delayqueue.abandoned")
			.tag("queue", "jobs")
			.counter()
			.count()).isEqualTo(2);
		assertThat(abandoned(app)).hasSize(2)
			.allMatch((run) -> run.startsWith("message 'hung' for ") && run.contains("in thread 'delayqueue-jobs-")
					&& run.contains("CountDownLatch.await"));

		Listener.never.end();
		Awaitility.await().until(() -> abandoned(app).isEmpty());
		assertThat(handled.ids()).as("its late return does not count").doesNotContain("hung");
		assertThat(app.getBean(DelayQueueAdmin.class).deadLetter(MessageKey.of("jobs", "hung"))).isPresent();
	}

	@Test
	@DisplayName("row 51: a stage that never completes delays no other message either")
	void stageThatNeverCompletesIsAbandoned() {
		ConfigurableApplicationContext app = this.applications.with("delayqueue.queues.stages.concurrency=2")
			.start(Listener.class);
		schedule(app, "stages", "hung", "hang");
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(app.getBean(DelayQueueAdmin.class).deadLetter(MessageKey.of("stages", "hung")))
						.hasValueSatisfying((dead) -> assertThat(dead.message()).contains("stage")));
		schedule(app, "stages", "other", "work");
		assertThat(app.getBean(Listener.class).handled.await(1)).extracting(Run::id).containsExactly("other");
	}

	@Test
	@DisplayName("row 51: the messages of a batch that never ends are redelivered one by one, and handled if they can be")
	void batchThatNeverEndsIsAbandonedAndRedeliveredOneByOne() {
		ConfigurableApplicationContext app = this.applications.with("delayqueue.queues.batches.max-attempts=2")
			.start(Listener.class);
		schedule(app, "batches", "hung", "hang");
		schedule(app, "batches", "innocent", "work");

		assertThat(app.getBean(Listener.class).handled.await(1)).extracting(Run::id).containsExactly("innocent");
		Awaitility.await()
			.until(() -> app.getBean(DelayQueueAdmin.class).deadLetter(MessageKey.of("batches", "hung")).isPresent());
		assertThat(app.getBean(Listener.class).handled.ids()).containsExactly("innocent");
	}

	@Test
	@DisplayName("row 51: more hung handlers than the concurrency stop reading, health reports it, and both recover")
	void moreHungHandlersThanTheConcurrencyStopReading() {
		ConfigurableApplicationContext app = this.applications.with("delayqueue.queues.jobs.concurrency=2")
			.with("delayqueue.defaults.max-attempts=1")
			.start(Listener.class);
		DelayQueueHealthIndicator health = app.getBean(DelayQueueHealthIndicator.class);
		for (String id : List.of("a", "b")) {
			schedule(app, id, "hang");
			awaitDeadLetter(app, id);
		}
		schedule(app, "other", "work");
		app.getBean(Listener.class).handled.await(1);
		assertThat(health.health().getStatus()).isEqualTo(Status.UP);

		schedule(app, "c", "hang");
		Awaitility.await().until(() -> health.health().getStatus().equals(Status.DOWN));
		schedule(app, "waits", "work");
		Health down = health.health();
		assertThat(down.getDetails().get("hanging")).asString().contains("jobs").contains("timeout");
		assertThat(app.getBean(Listener.class).handled.ids()).containsExactly("other");

		Listener.never.end();
		app.getBean(Listener.class).handled.await(2);
		awaitDeadLetter(app, "c");
		assertThat(health.health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	@DisplayName("row 52: a suspect waits for a long handler within bounds, and then begins beside it")
	void suspectThatCannotRunAloneIsReleasedAndBeginsBesideOthersAtLast() {
		ConfigurableApplicationContext app = this.applications.with("delayqueue.defaults.timeout=1h")
			.start(Listener.class);
		Listener listener = app.getBean(Listener.class);
		schedule(app, "long", "hang");
		listener.begun.acquireUninterruptibly();
		app.getBean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to("jobs").id("suspect").payload("work").delay(Duration.ofMillis(200)));
		this.redis.call("HSET", this.applications.prefix() + ":{jobs:0}:failures", "suspect", "0|2|0||");
		List<String> ordinary = schedule(app, 60, "work");

		assertThat(listener.handled.await(60)).extracting(Run::id).containsExactlyInAnyOrderElementsOf(ordinary);
		Awaitility.await()
			.until(() -> app.getBean(DelayQueueOperations.class)
				.find("jobs", "suspect")
				.orElseThrow()
				.nextAttemptAt() != null);
		List<String> later = schedule(app, 20, "work");
		assertThat(listener.handled.await(80)).extracting(Run::id).containsAll(later);

		Awaitility.await().until(() -> listener.handled.ids().contains("suspect"));
		assertThat(listener.handled.ids()).as("the hanging handler").doesNotContain("long");
		assertThat(listener.handled.runs()).filteredOn((run) -> run.id().equals("suspect"))
			.singleElement()
			.satisfies(
					(run) -> assertThat(run.attempt()).as("the attempt that was not counted as a crash").isEqualTo(3));
	}

	@Test
	@DisplayName("row 52: a suspect that runs for long lets others begin, and then no longer runs alone")
	void suspectThatRunsForLongLetsOtherMessagesStart() {
		this.applications.with("delayqueue.defaults.timeout=1h").with("delayqueue.defaults.visibility-timeout=1h");
		DelayQueueOperations producer = this.applications.producer();
		producer.schedule(ScheduleRequest.to("jobs").id("suspect").payload("hang").delay(Duration.ZERO));
		this.redis.call("HSET", this.applications.prefix() + ":{jobs:0}:failures", "suspect", "0|2|0||");
		ConfigurableApplicationContext app = this.applications.start(Listener.class);
		Listener listener = app.getBean(Listener.class);
		listener.begun.acquireUninterruptibly();
		assertThat(deliveries()).as("the mark of a message that runs alone").isGreaterThan(1);
		List<String> ordinary = schedule(app, 20, "work");

		assertThat(listener.handled.await(20)).extracting(Run::id).containsExactlyInAnyOrderElementsOf(ordinary);
		assertThat(deliveries()).as("without the mark").isEqualTo(1);
		Listener.never.end();
		assertThat(listener.handled.await(21)).extracting(Run::id).endsWith("suspect");
	}

	/**
	 * Returns the number of deliveries that Redis counts for the oldest pending entry.
	 */
	private long deliveries() {
		List<?> pending = (List<?>) this.redis.call("XPENDING", this.applications.prefix() + ":{jobs:0}:ready",
				"consumers", "-", "+", "1");
		return (Long) ((List<?>) pending.get(0)).get(3);
	}

	private static void schedule(ConfigurableApplicationContext app, String id, String payload) {
		schedule(app, "jobs", id, payload);
	}

	private static void schedule(ConfigurableApplicationContext app, String queue, String id, String payload) {
		app.getBean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to(queue).id(id).payload(payload).delay(Duration.ZERO));
	}

	/** Schedules messages with generated ids. */
	private static List<String> schedule(ConfigurableApplicationContext app, int count, String payload) {
		DelayQueueOperations queue = app.getBean(DelayQueueOperations.class);
		return IntStream.range(0, count)
			.mapToObj(
					(i) -> queue.schedule(ScheduleRequest.to("jobs").payload(payload).delay(Duration.ofMillis(i))).id())
			.toList();
	}

	private static DeadLetter awaitDeadLetter(ConfigurableApplicationContext app, String id) {
		DelayQueueAdmin admin = app.getBean(DelayQueueAdmin.class);
		Awaitility.await().until(() -> admin.deadLetter(MessageKey.of("jobs", id)).isPresent());
		return admin.deadLetter(MessageKey.of("jobs", id)).orElseThrow();
	}

	@SuppressWarnings("unchecked")
	private static List<String> abandoned(ConfigurableApplicationContext app) {
		Map<String, Map<String, Object>> queues = (Map<String, Map<String, Object>>) app
			.getBean(DelayQueueHealthIndicator.class)
			.health()
			.getDetails()
			.get("queues");
		return (List<String>) queues.get("jobs").getOrDefault("abandoned", List.of());
	}

	static class Meters {

		@Bean
		SimpleMeterRegistry registry() {
			return new SimpleMeterRegistry();
		}

	}

	static class Listener {

		private static volatile Hang never = new Hang();

		final Handled handled = new Handled();

		/** Handlers that have started and must not return. */
		final Semaphore begun = new Semaphore(0);

		@DelayedListener(queue = "jobs")
		void handle(DelayedMessage<String> message) {
			if (message.payload().equals("hang")) {
				this.begun.release();
				never.await();
				if (message.isLeaseLost()) {
					return;
				}
			}
			this.handled.add(message);
		}

		@DelayedListener(queue = "stages")
		CompletionStage<?> handleLater(DelayedMessage<String> message) {
			if (message.payload().equals("hang")) {
				return new CompletableFuture<>();
			}
			this.handled.add(message);
			return CompletableFuture.completedStage(null);
		}

		@DelayedListener(queue = "batches", batch = "2", batchWait = "300ms", concurrency = "4")
		void handleAll(List<DelayedMessage<String>> batch) {
			for (DelayedMessage<String> message : batch) {
				if (message.payload().equals("hang")) {
					never.await();
					return;
				}
			}
			batch.forEach(this.handled::add);
		}

	}

}
