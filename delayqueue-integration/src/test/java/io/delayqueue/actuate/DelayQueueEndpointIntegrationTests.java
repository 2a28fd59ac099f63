package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.CountedQueues;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The view of one queue.
 */
class DelayQueueEndpointIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static WebApplication application;

	private static DelayQueueOperations delayQueue;

	private static CountedQueues queues;

	private final CountDownLatch go = new CountDownLatch(1);

	private final List<QueueConsumer> consumers = new ArrayList<>();

	@BeforeAll
	static void startApplication() {
		application = WebApplication.start(SharedRedis.get().uri(), "delayqueue.queues.parted.partitions=3");
		delayQueue = application.bean(DelayQueueOperations.class);
		queues = new CountedQueues(delayQueue);
	}

	@AfterAll
	static void stopApplication() {
		application.close();
	}

	/**
	 * Removes all keys except the list of queues, which the application has already
	 * stored and does not store again.
	 */
	@AfterEach
	void emptyQueues() {
		this.go.countDown();
		this.consumers.forEach((consumer) -> consumer.stop(HOUR));
		try (RespClient redis = SharedRedis.get().client()) {
			redis.call("EVAL", "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end", "0",
					application.prefix() + ":{*");
		}
	}

	@Test
	void theCountsOfAQueueAreTheSumOfItsPartitions() {
		Instant first = delayQueue.schedule(ScheduleRequest.to("parted").payload("first").delay(Duration.ofMinutes(5)))
			.dueAt();
		queues.schedule("parted", 30, HOUR);

		JsonNode queue = application.get("/actuator/delayqueue/parted").json();

		assertThat(queue.propertyNames()).containsExactly(CountedQueues.with("name", "members", "memberNames",
				"throttled", "parked", "horizon", "epochs", "partitions", "consumerDetails", "holds", "listeners"));
		assertThat(queue.get("name").asString()).isEqualTo("parted");
		assertThat(queue.get("scheduled").asLong()).isEqualTo(31);
		assertThat(queue.get("nextDue").asString()).isEqualTo(String.valueOf(first)).endsWith("Z");
		assertThat(queue.get("paused").asBoolean(true)).isFalse();
		List<JsonNode> partitions = List.copyOf(queue.get("partitions").values());
		assertThat(partitions).hasSize(3)
			.allSatisfy((partition) -> assertThat(partition.propertyNames())
				.containsExactly(CountedQueues.with("number", "parked", "owner", "standby", "epoch")));
		assertThat(partitions).extracting((partition) -> partition.get("number").asInt()).containsExactly(0, 1, 2);
		assertThat(partitions.stream().mapToLong((partition) -> partition.get("scheduled").asLong()).sum())
			.isEqualTo(31);
		assertThat(partitions).filteredOn((partition) -> partition.get("scheduled").asLong() > 0).hasSizeGreaterThan(1);
	}

	@Test
	void theNextDueTimeOfAnEmptyQueueIsNull() {
		delayQueue.schedule(ScheduleRequest.to("emptied").payload("p").id("x").delay(HOUR));
		delayQueue.cancel("emptied", "x");

		JsonNode queue = application.get("/actuator/delayqueue/emptied").json();

		assertThat(queue.has("nextDue")).isTrue();
		assertThat(queue.get("nextDue").isNull()).isTrue();
		assertThat(queue.get("scheduled").asLong()).isZero();
		assertThat(queue.get("oldestOverdueMillis").asLong()).isZero();
	}

	@Test
	void dueMessagesThatAreNotSweptAreOverdue() {
		queues.schedule("unswept", 2, Duration.ZERO);
		queues.schedule("unswept", 1, HOUR);

		await().untilAsserted(() -> {
			JsonNode queue = application.get("/actuator/delayqueue/unswept").json();
			assertThat(queue.get("scheduled").asLong()).isEqualTo(3);
			assertThat(queue.get("overdue").asLong()).isEqualTo(2);
			assertThat(queue.get("ready").asLong()).isZero();
			assertThat(queue.get("oldestOverdueMillis").asLong()).isPositive();
		});
	}

	@Test
	void deliveredMessagesArePendingAndTheOthersAreReady() {
		queues.schedule("orders", 5, Duration.ZERO);
		this.consumers.add(application.consume("orders", 2, (delivery) -> {
			this.go.await();
			return null;
		}));

		await().untilAsserted(() -> {
			JsonNode queue = application.get("/actuator/delayqueue/orders").json();
			assertThat(queue.get("scheduled").asLong()).isZero();
			assertThat(queue.get("pending").asLong()).isEqualTo(2);
			assertThat(queue.get("ready").asLong()).isEqualTo(3);
			assertThat(queue.get("consumers").asLong()).isEqualTo(1);
			assertThat(queue.get("oldestPendingIdleMillis").asLong()).isPositive();
		});
	}

	@Test
	void finallyFailedMessagesAreDead() {
		queues.schedule("failing", 3, Duration.ZERO);
		this.consumers.add(application.consume("failing", 1, (delivery) -> {
			throw new IllegalStateException("no way");
		}));

		await().untilAsserted(() -> {
			JsonNode queue = application.get("/actuator/delayqueue/failing").json();
			assertThat(queue.get("dead").asLong()).isEqualTo(3);
			assertThat(queue.get("pending").asLong()).isZero();
		});
	}

	@Test
	void aQueueIsPausedIfAPartitionIsPaused() {
		queues.schedule("parted", 9, HOUR);
		try (RespClient redis = SharedRedis.get().client()) {
			redis.call("HSET", application.prefix() + ":{parted:1}:control", "paused", "1700000000000", "draining",
					"1700000000001");
		}
		JsonNode queue = application.get("/actuator/delayqueue/parted").json();

		assertThat(queue.get("paused").asBoolean()).isTrue();
		assertThat(queue.get("pausedSince").asString()).isEqualTo("2023-11-14T22:13:20Z");
		assertThat(queue.get("drainingSince").asString()).isEqualTo("2023-11-14T22:13:20.001Z");
		assertThat(queue.get("partitions").get(0).has("pausedSince")).isFalse();
		assertThat(queue.get("partitions").values()).extracting((partition) -> partition.get("paused").asBoolean())
			.containsExactly(false, true, false);
	}

	@Test
	void theStoredPartitionCountIsUsedForAQueueOfAnotherApplication() {
		queues.schedule("parted", 30, HOUR);
		try (WebApplication other = WebApplication.start(SharedRedis.get().uri(),
				"delayqueue.key-prefix=" + application.prefix())) {
			JsonNode queue = other.get("/actuator/delayqueue/parted").json();

			assertThat(queue.get("partitions").size()).isEqualTo(3);
			assertThat(queue.get("scheduled").asLong()).isEqualTo(30);
		}
	}

	@Test
	void theHorizonCountsScheduledMessagesByDueTime() {
		queues.schedule("parted", 3, Duration.ZERO);
		queues.schedule("parted", 4, Duration.ofSeconds(50));
		queues.schedule("parted", 5, Duration.ofMinutes(9));
		queues.schedule("parted", 6, Duration.ofMinutes(59));
		queues.schedule("parted", 7, Duration.ofHours(23));
		queues.schedule("parted", 8, Duration.ofDays(2));
		await().untilAsserted(() -> {
			JsonNode queue = application.get("/actuator/delayqueue/parted").json();
			assertThat(queue.get("horizon").toString()).isEqualTo("{\"overdue\":3,\"withinMinute\":4,"
					+ "\"within10Minutes\":9,\"withinHour\":15,\"withinDay\":22,\"later\":8}");
			assertThat(queue.get("scheduled").asLong()).isEqualTo(3 + 22 + 8);
		});
	}

	@Test
	void anUnknownQueueIsNotFound() {
		queues.schedule("orders", 1, HOUR);
		Answer answer = application.get("/actuator/delayqueue/order");

		assertThat(answer.status()).isEqualTo(404);
		assertThat(answer.contentType()).isEqualTo("application/problem+json");
		assertThat(answer.json().get("type").asString()).isEqualTo("urn:delayqueue:unknown-queue");
	}

	@Test
	void readingChangesNothingInRedis() {
		queues.schedule("orders", 1, HOUR);

		assertThat(Stream.of("POST", "PUT", "DELETE", "PATCH")
			.map((method) -> application.call(method, "/actuator/delayqueue/orders").status())).containsOnly(405);
	}

	@Test
	void hostileQueueNamesAreClientErrors() {
		queues.schedule("orders", 1, HOUR);
		List<String> hostile = List.of("%2e%2e%2f", "..%2f..%2fetc%2fpasswd", "..;/..;/", "%3Cscript%3E", "<script>",
				"a".repeat(100), "a".repeat(10_000), "%00", "a%00b", "%0d%0aX:y", "%0a", "\u0001", "a\tb", "%", "%zz",
				"%ff%fe", "%C0%AE", "orders%20", "*", "%7Borders:0%7D", "orders:0", "'%7C%7C'", "%24%7Bjndi:x%7D",
				"orders/0", "%E2%80%AE", "?queue", "orders?queue=a&queue=b", "x?queue[]=orders");
		for (String name : hostile) {
			assertThat(application.statusOfRaw("/actuator/delayqueue/" + name)).as(name).isIn(400, 404);
			assertThat(application.bean(DelayQueueEndpoint.class).queue(name)).as(name).isNull();
		}
		assertThat(application.statusOfRaw("/actuator/delayqueue/../")).isLessThan(500);
		assertThat(application.get("/actuator/delayqueue/orders").status()).isEqualTo(200);
	}

}
