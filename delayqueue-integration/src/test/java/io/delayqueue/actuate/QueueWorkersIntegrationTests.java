package io.delayqueue.actuate;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.actuate.fixture.CountedQueues;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The consumers of all processes and the listeners of this process in the view of a
 * queue.
 */
@Tag("slow")
class QueueWorkersIntegrationTests {

	private final CountDownLatch go = new CountDownLatch(1);

	private WebApplication application;

	private CountedQueues queues;

	@BeforeEach
	void startApplication() {
		this.application = WebApplication.start(SharedRedis.get().uri(), "delayqueue.queues.parted.partitions=3");
		this.queues = new CountedQueues(this.application.bean(DelayQueueOperations.class));
	}

	@AfterEach
	void stopApplication() {
		this.go.countDown();
		this.application.close();
	}

	@Test
	void aConsumerOfSeveralPartitionsIsListedOnce() {
		this.queues.schedule("parted", 100, Duration.ZERO);
		this.application.consume("parted", 1, (delivery) -> null);

		await().untilAsserted(() -> {
			JsonNode queue = this.application.get("/actuator/delayqueue/parted").json();
			assertThat(queue.get("partitions").values())
				.allSatisfy((partition) -> assertThat(partition.get("consumers").asLong()).isEqualTo(1));
			assertThat(queue.get("consumers").asLong()).isEqualTo(1);
		});
	}

	@Test
	void consumersAreListedWithTheirMessagesOfAllPartitions() {
		this.queues.schedule("parted", 30, Duration.ZERO);
		this.application.consume("parted", 20, (delivery) -> {
			this.go.await();
			return null;
		});
		await().until(() -> this.application.get("/actuator/delayqueue/parted").json().get("pending").asLong() == 20);
		try (WebApplication other = WebApplication.start(SharedRedis.get().uri(),
				"delayqueue.key-prefix=" + this.application.prefix(), "delayqueue.queues.parted.partitions=3")) {
			other.consume("parted", 7, (delivery) -> {
				this.go.await();
				return null;
			});
			await().untilAsserted(() -> {
				JsonNode consumers = this.application.get("/actuator/delayqueue/parted").json().get("consumerDetails");
				assertThat(consumers.values()).extracting((consumer) -> consumer.get("inFlight").asLong())
					.containsExactly(20L, 7L);
				assertThat(consumers.get(0).propertyNames()).containsExactly("name", "inFlight", "oldestIdleMillis",
						"silentMillis");
				assertThat(consumers.get(0).get("name").asString()).contains("-" + ProcessHandle.current().pid() + "-");
				assertThat(consumers.get(0).get("oldestIdleMillis").asLong()).isPositive();
			});
			this.go.countDown();
		}
	}

	@Test
	void theListenersOfThisProcessAreListed() {
		this.queues.schedule("listened", 3, Duration.ZERO);
		try (WebApplication other = WebApplication.start(SharedRedis.get().uri(), Listening.class,
				"delayqueue.key-prefix=" + this.application.prefix(), "delayqueue.queues.listened.concurrency=3")) {
			this.queues.schedule("listened", 3, Duration.ZERO);
			await().untilAsserted(
					() -> assertThat(other.get("/actuator/delayqueue/listened").json().get("listeners").toString())
						.isEqualTo("[{\"id\":\"few\",\"running\":true,\"paused\":false,\"inFlight\":2,"
								+ "\"concurrency\":2}]"));
			other.bean(Listening.class).go.countDown();
			other.bean(DelayedListenerRegistry.class).pause("few");
			other.bean(DelayedListenerRegistry.class).stop("few");
			assertThat(other.get("/actuator/delayqueue/listened").json().get("listeners").toString())
				.isEqualTo("[{\"id\":\"few\",\"running\":false,\"paused\":true,\"inFlight\":0,\"concurrency\":2}]");
			this.queues.schedule("alone", 1, Duration.ofHours(1));
			assertThat(other.get("/actuator/delayqueue/alone").json().get("listeners").toString()).isEqualTo("[]");
		}
	}

	static class Listening {

		final CountDownLatch go = new CountDownLatch(1);

		@DelayedListener(id = "few", queue = "listened", concurrency = "2")
		void handle(String payload) throws InterruptedException {
			this.go.await();
		}

	}

}
