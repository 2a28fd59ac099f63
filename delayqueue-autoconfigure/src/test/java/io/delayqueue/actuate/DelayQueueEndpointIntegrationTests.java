package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.DelayedListener;
import io.delayqueue.actuate.WebApplication.Answer;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.test.redis.CommandLog;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class DelayQueueEndpointIntegrationTests {

	private static final String[] COUNTS = { "scheduled", "overdue", "ready", "pending", "dead", "oldestOverdueMillis",
			"oldestPendingIdleMillis", "nextDue", "paused", "consumers" };

	private static final Duration HOUR = Duration.ofHours(1);

	private final CountDownLatch go = new CountDownLatch(1);

	private WebApplication application;

	private DelayQueueOperations delayQueue;

	@BeforeEach
	void startApplication() {
		this.application = WebApplication.start(SharedRedis.get().uri(), "delayqueue.queues.parted.partitions=3");
		this.delayQueue = this.application.bean(DelayQueueOperations.class);
	}

	@AfterEach
	void stopApplication() {
		this.go.countDown();
		this.application.close();
	}

	@Test
	void beforeAnythingIsScheduledThereAreNoQueues() {
		Answer answer = this.application.get("/actuator/delayqueue");

		assertThat(answer.status()).isEqualTo(200);
		assertThat(answer.body()).isEqualTo("{\"queues\":[]}");
	}

	@Test
	void allQueuesAreListedByNameWithTheFixedFields() {
		schedule("parted", 20, HOUR);
		schedule("alone", 3, HOUR);

		JsonNode body = this.application.get("/actuator/delayqueue").json();

		assertThat(body.propertyNames()).containsExactly("queues");
		assertThat(body.get("queues").values()).extracting((queue) -> queue.get("name").asString())
			.containsExactly("alone", "parted");
		assertThat(body.get("queues").values())
			.allSatisfy((queue) -> assertThat(queue.propertyNames()).containsExactly(with("name")));
		assertThat(body.get("queues").get(0).get("scheduled").asLong()).isEqualTo(3);
		assertThat(body.get("queues").get(1).get("scheduled").asLong()).isEqualTo(20);
	}

	@Test
	void oneQueueIsShownWithItsPartitionsWhichAddUp() {
		Instant first = this.delayQueue
			.schedule(ScheduleRequest.to("parted").payload("first").delay(Duration.ofMinutes(5)))
			.dueAt();
		schedule("parted", 30, HOUR);

		JsonNode queue = this.application.get("/actuator/delayqueue/parted").json();

		assertThat(queue.propertyNames())
			.containsExactly(with("name", "parked", "horizon", "partitions", "consumerDetails", "listeners"));
		assertThat(queue.get("name").asString()).isEqualTo("parted");
		assertThat(queue.get("scheduled").asLong()).isEqualTo(31);
		assertThat(queue.get("nextDue").asString()).isEqualTo(String.valueOf(first)).endsWith("Z");
		assertThat(queue.get("paused").asBoolean(true)).isFalse();
		List<JsonNode> partitions = List.copyOf(queue.get("partitions").values());
		assertThat(partitions).hasSize(3)
			.allSatisfy((partition) -> assertThat(partition.propertyNames()).containsExactly(with("number", "parked")));
		assertThat(partitions).extracting((partition) -> partition.get("number").asInt()).containsExactly(0, 1, 2);
		assertThat(partitions.stream().mapToLong((partition) -> partition.get("scheduled").asLong()).sum())
			.isEqualTo(31);
		assertThat(partitions).filteredOn((partition) -> partition.get("scheduled").asLong() > 0).hasSizeGreaterThan(1);
	}

	@Test
	void anEmptyQueueHasNoNextDueTimeAndSaysSo() {
		this.delayQueue.schedule(ScheduleRequest.to("emptied").payload("p").id("x").delay(HOUR));
		this.delayQueue.cancel("emptied", "x");

		JsonNode queue = this.application.get("/actuator/delayqueue/emptied").json();

		assertThat(queue.has("nextDue")).isTrue();
		assertThat(queue.get("nextDue").isNull()).isTrue();
		assertThat(queue.get("scheduled").asLong()).isZero();
		assertThat(queue.get("oldestOverdueMillis").asLong()).isZero();
	}

	@Test
	void whatIsDueAndNotSweptIsOverdue() {
		schedule("unswept", 2, Duration.ZERO);
		schedule("unswept", 1, HOUR);

		await().untilAsserted(() -> {
			JsonNode queue = this.application.get("/actuator/delayqueue/unswept").json();
			assertThat(queue.get("scheduled").asLong()).isEqualTo(3);
			assertThat(queue.get("overdue").asLong()).isEqualTo(2);
			assertThat(queue.get("ready").asLong()).isZero();
			assertThat(queue.get("oldestOverdueMillis").asLong()).isPositive();
		});
	}

	@Test
	void whatConsumersHaveIsPendingAndTheRestIsReady() {
		schedule("orders", 5, Duration.ZERO);
		this.application.consume("orders", 2, (delivery) -> {
			this.go.await();
			return null;
		});

		await().untilAsserted(() -> {
			JsonNode queue = this.application.get("/actuator/delayqueue/orders").json();
			assertThat(queue.get("scheduled").asLong()).isZero();
			assertThat(queue.get("pending").asLong()).isEqualTo(2);
			assertThat(queue.get("ready").asLong()).isEqualTo(3);
			assertThat(queue.get("consumers").asLong()).isEqualTo(1);
			assertThat(queue.get("oldestPendingIdleMillis").asLong()).isPositive();
		});
	}

	@Test
	void aConsumerOfSeveralPartitionsIsOne() {
		schedule("parted", 100, Duration.ZERO);
		this.application.consume("parted", 1, (delivery) -> null);

		await().untilAsserted(() -> {
			JsonNode queue = this.application.get("/actuator/delayqueue/parted").json();
			assertThat(queue.get("partitions").values())
				.allSatisfy((partition) -> assertThat(partition.get("consumers").asLong()).isEqualTo(1));
			assertThat(queue.get("consumers").asLong()).isEqualTo(1);
		});
	}

	@Test
	void whatFailedForGoodIsDead() {
		schedule("failing", 3, Duration.ZERO);
		this.application.consume("failing", 1, (delivery) -> {
			throw new IllegalStateException("no way");
		});

		await().untilAsserted(() -> {
			JsonNode queue = this.application.get("/actuator/delayqueue/failing").json();
			assertThat(queue.get("dead").asLong()).isEqualTo(3);
			assertThat(queue.get("pending").asLong()).isZero();
		});
	}

	@Test
	void aQueueIsPausedIfAPartitionIs() {
		schedule("parted", 9, HOUR);
		try (RespClient redis = SharedRedis.get().client()) {
			redis.call("HSET", this.application.prefix() + ":{parted:1}:control", "paused", "1700000000000", "draining",
					"1700000000001");
		}
		JsonNode queue = this.application.get("/actuator/delayqueue/parted").json();

		assertThat(queue.get("paused").asBoolean()).isTrue();
		assertThat(queue.get("pausedSince").asString()).isEqualTo("2023-11-14T22:13:20Z");
		assertThat(queue.get("drainingSince").asString()).isEqualTo("2023-11-14T22:13:20.001Z");
		assertThat(queue.get("partitions").get(0).has("pausedSince")).isFalse();
		assertThat(queue.get("partitions").values()).extracting((partition) -> partition.get("paused").asBoolean())
			.containsExactly(false, true, false);
	}

	@Test
	void thePartitionsOfAQueueThatAnotherApplicationUsesAreTheStoredOnes() {
		schedule("parted", 30, HOUR);
		try (WebApplication other = WebApplication.start(SharedRedis.get().uri(),
				"delayqueue.key-prefix=" + this.application.prefix())) {
			JsonNode queue = other.get("/actuator/delayqueue/parted").json();

			assertThat(queue.get("partitions").size()).isEqualTo(3);
			assertThat(queue.get("scheduled").asLong()).isEqualTo(30);
		}
	}

	@Test
	void aCallAsksRedisOncePerPartitionAndSearchesForNothing() {
		schedule("parted", 9, HOUR);
		schedule("alone", 1, HOUR);
		this.application.get("/actuator/delayqueue");
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			this.application.get("/actuator/delayqueue");

			assertThat(log.commands())
				.filteredOn((command) -> command.arguments().toString().contains(this.application.prefix()))
				.extracting(CommandLog.Command::name)
				.containsExactly("HGETALL", "EVALSHA", "EVALSHA", "EVALSHA", "EVALSHA");
			assertThat(log.count("SCAN") + log.count("KEYS")).isZero();
		}
	}

	@Test
	void manyQueuesAreShownPageByPage() {
		for (String queue : List.of("c", "a", "d", "b", "e")) {
			schedule(queue, 1, HOUR);
		}
		JsonNode first = this.application.get("/actuator/delayqueue?limit=2").json();
		assertThat(first.propertyNames()).containsExactly("queues", "next");
		assertThat(names(first)).containsExactly("a", "b");
		assertThat(first.get("next").asString()).isEqualTo("c");
		JsonNode second = this.application.get("/actuator/delayqueue?limit=2&from=c").json();
		assertThat(names(second)).containsExactly("c", "d");
		JsonNode last = this.application.get("/actuator/delayqueue?limit=2&from=" + second.get("next").asString())
			.json();
		assertThat(names(last)).containsExactly("e");
		assertThat(last.has("next")).isFalse();
		assertThat(names(this.application.get("/actuator/delayqueue?from=cc").json())).containsExactly("d", "e");
		assertThat(names(this.application.get("/actuator/delayqueue?from=z").json())).isEmpty();
	}

	@Test
	void aPageOfQueuesEndsBeforeItCostsTooManyCalls() {
		try (RespClient redis = SharedRedis.get().client()) {
			redis.call("HSET", this.application.prefix() + ":queues", "a", "1000", "b", "24", "c", "1", "d", "1024",
					"e", "1");
		}
		JsonNode first = this.application.get("/actuator/delayqueue").json();
		assertThat(names(first)).containsExactly("a", "b");
		assertThat(first.get("next").asString()).isEqualTo("c");
		assertThat(names(this.application.get("/actuator/delayqueue?from=c").json())).containsExactly("c");
		assertThat(names(this.application.get("/actuator/delayqueue?from=d").json())).containsExactly("d");
		assertThat(names(this.application.get("/actuator/delayqueue?from=e").json())).containsExactly("e");
	}

	@Test
	void theHorizonTellsWhenWhatWaitsWillBeDue() {
		schedule("parted", 3, Duration.ZERO);
		schedule("parted", 4, Duration.ofSeconds(50));
		schedule("parted", 5, Duration.ofMinutes(9));
		schedule("parted", 6, Duration.ofMinutes(59));
		schedule("parted", 7, Duration.ofHours(23));
		schedule("parted", 8, Duration.ofDays(2));
		await().untilAsserted(() -> {
			JsonNode queue = this.application.get("/actuator/delayqueue/parted").json();
			assertThat(queue.get("horizon").toString()).isEqualTo("{\"overdue\":3,\"withinMinute\":4,"
					+ "\"within10Minutes\":9,\"withinHour\":15,\"withinDay\":22,\"later\":8}");
			assertThat(queue.get("scheduled").asLong()).isEqualTo(3 + 22 + 8);
		});
	}

	@Test
	void theConsumersAreToldWithWhatTheyHaveInAllPartitions() {
		schedule("parted", 30, Duration.ZERO);
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
	void theListenersOfThisProcessAreTold() {
		schedule("listened", 3, Duration.ZERO);
		try (WebApplication other = WebApplication.start(SharedRedis.get().uri(), Listening.class,
				"delayqueue.key-prefix=" + this.application.prefix(), "delayqueue.queues.listened.concurrency=3")) {
			schedule("listened", 3, Duration.ZERO);
			await().untilAsserted(
					() -> assertThat(other.get("/actuator/delayqueue/listened").json().get("listeners").toString())
						.isEqualTo("[{\"id\":\"few\",\"running\":true,\"paused\":false,\"inFlight\":2,"
								+ "\"concurrency\":2}]"));
			other.bean(Listening.class).go.countDown();
			other.bean(DelayedListenerRegistry.class).pause("few");
			other.bean(DelayedListenerRegistry.class).stop("few");
			assertThat(other.get("/actuator/delayqueue/listened").json().get("listeners").toString())
				.isEqualTo("[{\"id\":\"few\",\"running\":false,\"paused\":true,\"inFlight\":0,\"concurrency\":2}]");
			schedule("alone", 1, HOUR);
			assertThat(other.get("/actuator/delayqueue/alone").json().get("listeners").toString()).isEqualTo("[]");
		}
	}

	@Test
	void anUnknownQueueIsNotFound() {
		schedule("orders", 1, HOUR);
		Answer answer = this.application.get("/actuator/delayqueue/order");

		assertThat(answer.status()).isEqualTo(404);
		assertThat(answer.contentType()).isEqualTo("application/problem+json");
		assertThat(answer.json().get("type").asString()).isEqualTo("urn:delayqueue:unknown-queue");
	}

	@Test
	void theEndpointOnlyLooks() {
		schedule("orders", 1, HOUR);

		assertThat(Stream.of("POST", "PUT", "DELETE", "PATCH")
			.map((method) -> this.application.call(method, "/actuator/delayqueue/orders").status())).containsOnly(405);
	}

	@Test
	void hostileNamesAreTheCallersFault() {
		schedule("orders", 1, HOUR);
		List<String> hostile = List.of("%2e%2e%2f", "..%2f..%2fetc%2fpasswd", "..;/..;/", "%3Cscript%3E", "<script>",
				"a".repeat(100), "a".repeat(10_000), "%00", "a%00b", "%0d%0aX:y", "%0a", "\u0001", "a\tb", "%", "%zz",
				"%ff%fe", "%C0%AE", "orders%20", "*", "%7Borders:0%7D", "orders:0", "'%7C%7C'", "%24%7Bjndi:x%7D",
				"orders/0", "%E2%80%AE", "?queue", "orders?queue=a&queue=b", "x?queue[]=orders");
		for (String name : hostile) {
			assertThat(this.application.statusOfRaw("/actuator/delayqueue/" + name)).as(name).isIn(400, 404);
			assertThat(this.application.bean(DelayQueueEndpoint.class).queue(name)).as(name).isNull();
		}
		assertThat(this.application.statusOfRaw("/actuator/delayqueue/../")).isLessThan(500);
		assertThat(this.application.get("/actuator/delayqueue/orders").status()).isEqualTo(200);
	}

	private void schedule(String queue, int count, Duration delay) {
		List<ScheduleAnswer> answers = this.delayQueue.scheduleAll(IntStream.range(0, count)
			.mapToObj((i) -> ScheduleRequest.to(queue).payload("p" + i).delay(delay))
			.toList());
		assertThat(answers).allMatch(ScheduleAnswer::isAccepted);
	}

	static class Listening {

		final CountDownLatch go = new CountDownLatch(1);

		@DelayedListener(id = "few", queue = "listened", concurrency = "2")
		void handle(String payload) throws InterruptedException {
			this.go.await();
		}

	}

	private static List<String> names(JsonNode page) {
		return page.get("queues").values().stream().map((queue) -> queue.get("name").asString()).toList();
	}

	private static String[] with(String first, String... last) {
		return Stream.of(Stream.of(first), Stream.of(COUNTS), Stream.of(last))
			.flatMap((names) -> names)
			.toArray(String[]::new);
	}

}
