package io.delayqueue.sample.orders;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.StreamSupport;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.sample.SampleClient;
import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.test.redis.TestRedis;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The Orders part of the HTTP interface. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@Import(TestRedis.class)
class OrdersIntegrationTests {

	@LocalServerPort
	private int port;

	@Autowired
	private DelayQueueOperations delayQueue;

	private SampleClient client;

	private final String id = "o:" + UUID.randomUUID();

	private final String user = "user-" + UUID.randomUUID();

	@BeforeEach
	void connect() {
		this.client = new SampleClient(this.port);
	}

	@Test
	void placingReturnsTheOrderAndItsLocation() {
		Instant before = Instant.now();
		Answer placed = this.client.placeOrder(this.id, this.user, Duration.ofMinutes(2));
		assertThat(placed.status()).isEqualTo(201);
		assertThat(placed.header("Location")).endsWith("/orders/" + this.id);
		assertThat(placed.body().propertyNames()).containsExactlyInAnyOrder("id", "userId", "status", "dueAt",
				"closedAt", "closedBy");
		assertThat(placed.text("id")).isEqualTo(this.id);
		assertThat(placed.text("userId")).isEqualTo(this.user);
		assertThat(placed.text("status")).isEqualTo("UNPAID");
		assertThat(placed.body().get("closedAt").isNull()).isTrue();
		assertThat(placed.body().get("closedBy").isNull()).isTrue();
		assertThat(placed.text("dueAt")).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?Z");
		assertThat(placed.instant("dueAt")).isBetween(before.plusSeconds(119), Instant.now().plusSeconds(121));
		assertThat(find().body()).isEqualTo(placed.body());
		assertThat(this.client.get(URI.create(placed.header("Location")).getPath()).body()).isEqualTo(placed.body());
	}

	@Test
	void theMessageHasTheDueTimeOfTheOrder() {
		Answer placed = this.client.placeOrder(this.id, this.user, Duration.ofMinutes(2));
		awaitOutbox();
		assertThat(this.delayQueue.find(OrderTimeouts.QUEUE, this.id)).hasValueSatisfying((message) -> {
			assertThat(message.dueAt()).isEqualTo(placed.instant("dueAt"));
			assertThat(message.group()).isEqualTo(this.user);
			assertThat(message.state()).isEqualTo(MessageState.SCHEDULED);
		});
	}

	@Test
	void theDefaultTimeToPayIsFifteenMinutes() {
		Instant before = Instant.now();
		Answer placed = this.client.post("/orders", """
				{"id":"%s","userId":"%s","somethingElse":{"a":[1]}}""".formatted(this.id, this.user));
		assertThat(placed.status()).isEqualTo(201);
		assertThat(placed.instant("dueAt")).isBetween(before.plusSeconds(899), Instant.now().plusSeconds(901));
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT1.5S", "PT0.0001S", "P1DT2H", "P3650D", "PT0S" })
	void acceptsTimesToPayWithFractionsAndUpToTheLongestDelay(String payWithin) {
		assertThat(place(this.id, this.user, payWithin).status()).isEqualTo(201);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT-1S", "-PT1M", "P3650DT0.001S", "P3651D", "PT9223372036854775807S",
			"P99999999999999999999D", "PT99999999999999999999H", "15", "soon", "", "P1Y", "PT", "PT1S " })
	void rejectsTimesToPayThatAreNegativeTooLongOrNoDuration(String payWithin) {
		Answer refused = place(this.id, this.user, payWithin);
		assertThat(refused.status()).isEqualTo(400);
		assertThat(refused.text("type")).endsWith(":invalid-request");
		assertThat(refused.text("field")).isEqualTo("payWithin");
		assertThat(find().status()).isEqualTo(404);
	}

	@Test
	void anUnpaidOrderIsCancelledByItsTimeoutAndNotBeforeItIsDue() {
		this.client.placeOrder(this.id, this.user, Duration.ofMillis(300));
		await().until(() -> find().text("status").equals("CANCELLED"));
		Answer closed = find();
		assertThat(closed.text("closedBy")).isEqualTo("TIMEOUT");
		assertThat(closed.instant("closedAt")).isAfterOrEqualTo(closed.instant("dueAt"));
		assertThat(this.client.post("/orders/" + this.id + "/pay").text("type")).endsWith(":order-cancelled");
		assertThat(this.client.post("/orders/" + this.id + "/cancel").body()).isEqualTo(closed.body());
	}

	@Test
	void anOrderWithoutTimeToPayIsCancelledAtOnce() {
		assertThat(this.client.placeOrder(this.id, this.user, Duration.ZERO).text("status")).isEqualTo("UNPAID");
		await().until(() -> find().text("closedBy").equals("TIMEOUT"));
	}

	@Test
	void payingClosesTheOrderAndCancelsItsMessage() {
		this.client.placeOrder(this.id, this.user, Duration.ofMinutes(2));
		Answer paid = this.client.post("/orders/" + this.id + "/pay");
		assertThat(paid.status()).isEqualTo(200);
		assertThat(paid.text("status")).isEqualTo("PAID");
		assertThat(paid.text("closedBy")).isEqualTo("PAYMENT");
		assertThat(paid.instant("closedAt")).isBefore(paid.instant("dueAt"));
		awaitOutbox();
		assertThat(this.delayQueue.find(OrderTimeouts.QUEUE, this.id)).map(MessageSnapshot::state)
			.hasValue(MessageState.FINISHED);
		Answer again = this.client.post("/orders/" + this.id + "/pay");
		assertThat(again.status()).isEqualTo(200);
		assertThat(again.body()).isEqualTo(paid.body());
		Answer tooLate = this.client.post("/orders/" + this.id + "/cancel");
		assertThat(tooLate.status()).isEqualTo(409);
		assertThat(tooLate.text("type")).endsWith(":order-paid");
	}

	@Test
	void theUserCanCancel() {
		this.client.placeOrder(this.id, this.user, Duration.ofMinutes(2));
		Answer cancelled = this.client.post("/orders/" + this.id + "/cancel");
		assertThat(cancelled.status()).isEqualTo(200);
		assertThat(cancelled.text("status")).isEqualTo("CANCELLED");
		assertThat(cancelled.text("closedBy")).isEqualTo("USER");
		awaitOutbox();
		assertThat(this.delayQueue.find(OrderTimeouts.QUEUE, this.id)).map(MessageSnapshot::state)
			.hasValue(MessageState.FINISHED);
		assertThat(this.client.post("/orders/" + this.id + "/cancel").body()).isEqualTo(cancelled.body());
		assertThat(this.client.post("/orders/" + this.id + "/pay").status()).isEqualTo(409);
	}

	@Test
	void anOverdueOrderThatIsStillOpenCanBePaid() {
		Answer placed = this.client.placeOrder(this.id, this.user, Duration.ofMillis(500));
		awaitOutbox();
		assertThat(this.delayQueue.cancel(OrderTimeouts.QUEUE, this.id)).isEqualTo(CancelResult.CANCELLED);
		await().until(() -> Instant.now().isAfter(placed.instant("dueAt").plusMillis(200)));
		Answer paid = this.client.post("/orders/" + this.id + "/pay");
		assertThat(paid.status()).isEqualTo(200);
		assertThat(paid.text("closedBy")).isEqualTo("PAYMENT");
		assertThat(paid.instant("closedAt")).isAfter(paid.instant("dueAt"));
	}

	@Test
	void anExistingIdIsADuplicateInEveryState() {
		this.client.placeOrder(this.id, this.user, Duration.ofMinutes(2));
		assertDuplicate(this.client.placeOrder(this.id, this.user, Duration.ofMinutes(2)));
		assertDuplicate(this.client.placeOrder(this.id, "another", Duration.ofMinutes(1)));
		this.client.post("/orders/" + this.id + "/pay");
		assertDuplicate(this.client.placeOrder(this.id, this.user, Duration.ofMinutes(2)));
	}

	@Test
	void exactlyOneOfManyConcurrentEqualRequestsGetsTheOrder() throws Exception {
		ExecutorService callers = Executors.newFixedThreadPool(16);
		try {
			for (int round = 0; round < 10; round++) {
				String contested = this.id + ":" + round;
				List<Future<Integer>> answers = new ArrayList<>();
				for (int caller = 0; caller < 16; caller++) {
					answers.add(callers
						.submit(() -> this.client.placeOrder(contested, contested, Duration.ofMinutes(2)).status()));
				}
				List<Integer> statuses = new ArrayList<>();
				for (Future<Integer> answer : answers) {
					statuses.add(answer.get());
				}
				assertThat(statuses).containsOnly(201, 409).containsOnlyOnce(201);
			}
		}
		finally {
			callers.shutdown();
		}
	}

	@Test
	void unknownOrdersAreNotFound() {
		for (Answer answer : List.of(find(), this.client.post("/orders/" + this.id + "/pay"),
				this.client.post("/orders/" + this.id + "/cancel"))) {
			assertThat(answer.status()).isEqualTo(404);
			assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
			assertThat(answer.text("type")).endsWith(":unknown-order");
		}
	}

	@Test
	void listsTheNewestFirstAndCountsAllMatches() {
		for (int i = 0; i < 5; i++) {
			this.client.placeOrder(this.id + ":" + i, this.user, Duration.ofMinutes(2));
			if (i == 1 || i == 3) {
				this.client.post("/orders/" + this.id + ":" + i + ((i == 1) ? "/pay" : "/cancel"));
			}
		}
		assertThat(list("userId=" + this.user, 5)).containsExactly("4", "3", "2", "1", "0");
		assertThat(list("userId=" + this.user + "&limit=2", 5)).containsExactly("4", "3");
		assertThat(list("userId=" + this.user + "&status=UNPAID", 3)).containsExactly("4", "2", "0");
		assertThat(list("userId=" + this.user + "&status=PAID", 1)).containsExactly("1");
		assertThat(list("userId=" + this.user + "&status=CANCELLED&limit=1", 1)).containsExactly("3");
		assertThat(list("userId=unknown", 0)).isEmpty();
		Answer all = this.client.get("/orders?limit=3");
		assertThat(all.text("total")).isNotEmpty();
		assertThat(all.body().get("orders").get(0).get("id").asString()).isEqualTo(this.id + ":4");
		assertThat(this.client.get("/orders?status=PAID&limit=1").body().get("orders").get(0).get("id").asString())
			.isEqualTo(this.id + ":1");
		assertThat(this.client.get("/orders?userId=" + this.user).body().get("orders").get(4))
			.isEqualTo(this.client.get("/orders/" + this.id + ":0").body());
	}

	@ParameterizedTest
	@ValueSource(strings = { "limit=0", "limit=1001", "limit=-1", "limit=many", "status=LOST", "userId=a%20b" })
	void rejectsInvalidSearches(String query) {
		Answer refused = this.client.get("/orders?" + query);
		assertThat(refused.status()).isEqualTo(400);
		assertThat(refused.text("type")).endsWith(":invalid-request");
	}

	@Test
	void listsUpToAThousand() {
		assertThat(this.client.get("/orders?limit=1000").status()).isEqualTo(200);
		assertThat(this.client.get("/orders?userId=&status=&limit=").status()).isEqualTo(200);
	}

	/**
	 * Waits until the outbox has sent the timeouts to Redis. Does nothing here, because
	 * there is no outbox without a database.
	 */
	void awaitOutbox() {
	}

	private Answer find() {
		return this.client.get("/orders/" + this.id);
	}

	private Answer place(String id, String user, String payWithin) {
		return this.client.post("/orders", """
				{"id":"%s","userId":"%s","payWithin":"%s"}""".formatted(id, user, payWithin));
	}

	private List<String> list(String query, int total) {
		Answer listed = this.client.get("/orders?" + query);
		assertThat(listed.status()).isEqualTo(200);
		assertThat(listed.body().get("total").asInt()).isEqualTo(total);
		return StreamSupport.stream(listed.body().get("orders").spliterator(), false)
			.map((JsonNode order) -> order.get("id").asString())
			.map((id) -> id.substring(id.lastIndexOf(':') + 1))
			.toList();
	}

	private static void assertDuplicate(Answer answer) {
		assertThat(answer.status()).isEqualTo(409);
		assertThat(answer.text("type")).endsWith(":duplicate-order");
		assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
	}

}
