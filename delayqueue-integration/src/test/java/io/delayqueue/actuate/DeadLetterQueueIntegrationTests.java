package io.delayqueue.actuate;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.delayqueue.MessageSnapshot;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Dead letters of a queue that has a dead-letter queue.
 */
@Tag("slow")
class DeadLetterQueueIntegrationTests {

	private static Operating operating;

	@BeforeAll
	static void start() {
		operating = Operating.start(SharedRedis.get().uri(), "management.endpoint.delayqueue.show-payloads=always",
				"delayqueue.queues.source.dead-letter-queue=target", "delayqueue.queues.source.history.for=7d",
				"delayqueue.queues.narrow.dead-letter-queue=limited", "delayqueue.queues.ring.dead-letter-queue=round");
	}

	@AfterAll
	static void stop() {
		operating.close();
	}

	@Test
	void aDeadLetterMovesWithItsPayloadAndItsOrigin() {
		operating.delayQueue
			.schedule(ScheduleRequest.to("source").payload("p-1").id("d-1").header("tenant", "t").delay(Duration.ZERO));
		QueueConsumer consumer = failing("source");
		await().until(() -> messages("target").size() == 1);
		String id = messages("target").get(0).get("id").asString();
		MessageSnapshot copy = operating.delayQueue.find("target", id).orElseThrow();
		assertThat(copy.headers()).containsAllEntriesOf(Map.of("tenant", "t", "delayqueue-dead-letter-queue", "source",
				"delayqueue-dead-letter-id", "d-1", "delayqueue-dead-letter-attempts", "1"));
		assertThat(copy.headers().get("delayqueue-dead-letter-reason")).startsWith("HANDLER_FAILED|");
		JsonNode payload = operating.application.get("/actuator/delayqueue/target/message?id=" + id)
			.json()
			.get("payload");
		assertThat(payload.get("content").asString().getBytes(StandardCharsets.UTF_8))
			.isEqualTo("\"p-1\"".getBytes(StandardCharsets.UTF_8));
		await().until(() -> operating.dead("source").isEmpty());
		assertThat(operating.delayQueue.find("source", "d-1").orElseThrow().end()).extracting((end) -> end.how().name())
			.isEqualTo("MOVED");
		consumer.stop(Duration.ofSeconds(5));
	}

	@Test
	void aRefusedCopyStaysWhereItDiedUntilThereIsRoom() {
		operating.scheduleInGroup("limited", "full", "g");
		operating.delayQueue
			.schedule(ScheduleRequest.to("narrow").payload("p").id("n-1").group("g").delay(Duration.ZERO));
		QueueConsumer consumer = failing("narrow");
		await().until(() -> operating.dead("narrow").equals(List.of("n-1")));
		await().during(Duration.ofMillis(500)).until(() -> operating.dead("narrow").equals(List.of("n-1")));
		operating.delayQueue.cancel("limited", "full");
		await().atMost(Duration.ofSeconds(60)).until(() -> operating.dead("narrow").isEmpty());
		assertThat(operating.delayQueue.countGroup("limited", "g")).isEqualTo(1);
		consumer.stop(Duration.ofSeconds(5));
	}

	@Test
	void aRefusedCopyDoesNotDelayThoseBehindIt() {
		operating.scheduleInGroup("limited", "full", "h");
		QueueConsumer consumer = failing("narrow");
		operating.delayQueue
			.schedule(ScheduleRequest.to("narrow").payload("p").id("r-0").group("h").delay(Duration.ZERO));
		await().until(() -> operating.dead("narrow").equals(List.of("r-0")));
		for (int i = 1; i <= 3; i++) {
			String group = "other-" + i;
			operating.delayQueue
				.schedule(ScheduleRequest.to("narrow").payload("p").id("r-" + i).group(group).delay(Duration.ZERO));
			await().atMost(Duration.ofSeconds(60)).until(() -> operating.delayQueue.countGroup("limited", group) == 1);
		}
		assertThat(operating.dead("narrow")).containsExactly("r-0");
		operating.delayQueue.cancel("limited", "full");
		await().atMost(Duration.ofSeconds(60)).until(() -> operating.dead("narrow").isEmpty());
		consumer.stop(Duration.ofSeconds(5));
	}

	@Test
	void aMessageDoesNotMoveToAQueueInWhichItWasADeadLetter() {
		operating.delayQueue.schedule(ScheduleRequest.to("ring")
			.payload("p")
			.id("c-1")
			.header("delayqueue-dead-letter-path", "round other")
			.delay(Duration.ZERO));
		operating.delayQueue.schedule(ScheduleRequest.to("ring")
			.payload("p")
			.id("c-2")
			.header("delayqueue-dead-letter-path", "other")
			.delay(Duration.ofMillis(10)));
		QueueConsumer consumer = failing("ring");
		await().until(() -> operating.dead("ring").equals(List.of("c-1")) && !messages("round").isEmpty());
		consumer.stop(Duration.ofSeconds(5));
	}

	private static QueueConsumer failing(String queue) {
		return operating.application.consume(queue, 1, (delivery) -> {
			throw new IllegalStateException("it broke");
		});
	}

	private static JsonNode messages(String queue) {
		JsonNode scheduled = operating.application.get("/actuator/delayqueue/" + queue + "/messages?state=READY")
			.json();
		return (scheduled.has("messages") && !scheduled.get("messages").isEmpty()) ? scheduled.get("messages")
				: operating.application.get("/actuator/delayqueue/" + queue + "/messages?state=SCHEDULED")
					.json()
					.path("messages");
	}

}
