package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.DelayQueueHealthIndicator;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.Hang;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers that never return and occupy all threads: messages that wait for a thread are
 * released.
 */
@Tag("slow")
class HungThreadsIntegrationTests {

	private final RedisServer redis = RedisServer.builder().start();

	private final TestApplication applications = new TestApplication(this.redis.uri())
		.with("delayqueue.defaults.visibility-timeout=3s")
		.with("delayqueue.defaults.timeout=1s")
		.with("delayqueue.defaults.max-attempts=1")
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
	void messagesWithoutAFreeThreadAreReleased() {
		ConfigurableApplicationContext app = this.applications.with("delayqueue.defaults.max-attempts=5")
			.start(Listener.class);
		for (int i = 0; i < 10; i++) {
			schedule(app, "batches", "m" + i, "hang");
		}
		Awaitility.await().until(() -> hanging(app) != null);
		Awaitility.await().until(() -> pending("batches") == 1);

		Listener.never.end();
		assertThat(app.getBean(Listener.class).handled.await(10)).extracting(Handled.Run::id).doesNotHaveDuplicates();
		assertThat(app.getBean(DelayQueueHealthIndicator.class).health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void hungBatchesOfOneMessageStopReadingAndHealthReportsIt() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class);
		for (String id : List.of("a", "b")) {
			schedule(app, "batches", id, "hang");
			if (id.equals("a")) {
				awaitDead(app, "batches", id);
			}
		}
		Awaitility.await().untilAsserted(() -> assertThat(hanging(app)).asString().contains("batches"));

		schedule(app, "batches", "waits", "work");
		Listener.never.end();
		assertThat(app.getBean(Listener.class).handled.await(1)).extracting(Handled.Run::id).containsExactly("waits");
	}

	@Test
	void expiredMessageDoesNotWaitBehindTheHungHandlerOfItsBatch() {
		DelayQueueOperations producer = this.applications.producer();
		producer.schedule(ScheduleRequest.to("late").id("hung").payload("hang").delay(Duration.ZERO));
		producer.schedule(ScheduleRequest.to("late")
			.id("expired")
			.payload("work")
			.delay(Duration.ZERO)
			.expireAfter(Duration.ofMillis(1)));
		ConfigurableApplicationContext app = this.applications.start(Listener.class);

		assertThat(app.getBean(Listener.class).handled.await(1)).extracting(Handled.Run::id).containsExactly("expired");
		awaitDead(app, "late", "hung");
		Awaitility.await().until(() -> pending("late") == 0);
	}

	private long pending(String queue) {
		List<?> pending = (List<?>) this.redis.call("XPENDING", this.applications.prefix() + ":{" + queue + ":0}:ready",
				"consumers");
		return (Long) pending.get(0);
	}

	private static @Nullable Object hanging(ConfigurableApplicationContext app) {
		Health health = app.getBean(DelayQueueHealthIndicator.class).health();
		return health.getDetails().get("hanging");
	}

	private static void schedule(ConfigurableApplicationContext app, String queue, String id, String payload) {
		app.getBean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to(queue).id(id).payload(payload).delay(Duration.ZERO));
	}

	private static void awaitDead(ConfigurableApplicationContext app, String queue, String id) {
		Awaitility.await()
			.until(() -> app.getBean(DelayQueueAdmin.class).deadLetter(MessageKey.of(queue, id)).isPresent());
	}

	static class Listener {

		static volatile Hang never = new Hang();

		final Handled handled = new Handled();

		@DelayedListener(queue = "batches", batch = "10", batchWait = "300ms", concurrency = "10")
		void handleAll(List<DelayedMessage<String>> batch) {
			if (batch.stream().anyMatch((message) -> message.payload().equals("hang"))) {
				never.await();
			}
			batch.stream().filter((message) -> !message.isLeaseLost()).forEach(this.handled::add);
		}

		@DelayedListener(queue = "late", batch = "2", batchWait = "300ms", concurrency = "4")
		void handleInTime(List<DelayedMessage<String>> batch) {
			handleAll(batch);
		}

		@DelayedListener(queue = "late", expired = true)
		void handleExpired(DelayedMessage<String> message) {
			this.handled.add(message);
		}

	}

}
