package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A queue whose handlers all hang, beside a queue that must not notice.
 */
@Tag("slow")
class HungQueueIntegrationTests {

	private static final int MESSAGES = 1000;

	private static final int CONCURRENCY = 10;

	private final RedisServer redis = RedisServer.builder().start();

	private final TestApplication applications = new TestApplication(this.redis.uri())
		.with("delayqueue.defaults.visibility-timeout=2s")
		.with("delayqueue.queues.hanging.timeout=1s")
		.with("delayqueue.queues.hanging.concurrency=" + CONCURRENCY)
		.with("delayqueue.defaults.back-off.first=50ms");

	@BeforeEach
	void newHang() {
		Listener.hang = new Hang();
	}

	@AfterEach
	void stopAll() {
		Listener.hang.end();
		this.applications.close();
		this.redis.close();
	}

	@Test
	@DisplayName("row 51: of a thousand messages that hang, no more are abandoned than the concurrency, and a restart ends all")
	void thousandHangingMessages() {
		ConfigurableApplicationContext app = this.applications.start(Listener.class);
		DelayQueueOperations queue = app.getBean(DelayQueueOperations.class);
		List<ScheduleRequest> requests = IntStream.range(0, MESSAGES)
			.mapToObj((i) -> ScheduleRequest.to("hanging").id("m" + i).payload("m").delay(Duration.ZERO))
			.toList();
		queue.scheduleAll(requests);

		Awaitility.await().until(() -> health(app).getStatus().equals(Status.DOWN));
		Health down = health(app);
		assertThat(down.getDetails().get("hanging")).asString().contains("hanging");
		assertThat(abandoned(down)).hasSize(CONCURRENCY)
			.allMatch((run) -> run.startsWith("message 'm") && run.contains("in thread 'delayqueue-hanging-")
					&& run.contains("Hang.await"));
		Handled handled = app.getBean(Listener.class).handled;
		for (int i = 0; i < 20; i++) {
			queue.schedule(ScheduleRequest.to("other").id("o" + i).payload("o").delay(Duration.ZERO));
			handled.await(i + 1);
		}
		assertThat(abandoned(health(app))).hasSize(CONCURRENCY);
		assertThat(threads()).as("abandoned, and those that hold the permits").isEqualTo(2L * CONCURRENCY);

		Listener.hang.end();
		app.close();
		ConfigurableApplicationContext again = this.applications.start(Listener.class);
		DelayQueueAdmin admin = again.getBean(DelayQueueAdmin.class);
		Handled later = again.getBean(Listener.class).handled;
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> again.getBean(DelayQueueOperations.class).find("hanging", "m0").isEmpty()
					&& IntStream.range(0, MESSAGES)
						.mapToObj((i) -> "m" + i)
						.filter((id) -> !later.ids().contains(id) && !handled.ids().contains(id))
						.allMatch((id) -> admin.deadLetter(MessageKey.of("hanging", id)).isPresent()));
		assertThat(health(again).getStatus()).isEqualTo(Status.UP);
	}

	private static long threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("delayqueue-hanging-"))
			.count();
	}

	private static Health health(ConfigurableApplicationContext app) {
		return app.getBean(DelayQueueHealthIndicator.class).health();
	}

	@SuppressWarnings("unchecked")
	private static List<String> abandoned(Health health) {
		Map<String, Map<String, Object>> queues = (Map<String, Map<String, Object>>) health.getDetails().get("queues");
		return (List<String>) queues.get("hanging").getOrDefault("abandoned", List.of());
	}

	static class Listener {

		private static volatile Hang hang = new Hang();

		final Handled handled = new Handled();

		@DelayedListener(queue = "hanging")
		void handle(DelayedMessage<String> message) {
			hang.await();
			if (!message.isLeaseLost()) {
				this.handled.add(message);
			}
		}

		@DelayedListener(queue = "other")
		void handleOther(DelayedMessage<String> message) {
			this.handled.add(message);
		}

	}

}
