package io.delayqueue.sample.orders;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.sample.SampleInstances;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** At most three unpaid orders of a user, on two instances. */
abstract class OrderQuotaScenarios {

	static final Duration LATER = Duration.ofMinutes(5);

	/** Set by each class. */
	static SampleInstances sample;

	private final String user = "user-" + UUID.randomUUID();

	static void start(String... properties) {
		sample = SampleInstances
			.start(Stream.concat(Stream.of("delayqueue.queues.order-timeout.max-attempts=1"), Stream.of(properties))
				.toArray(String[]::new));
		sample.client().placeOrder("first", "first", LATER);
		sample.client().post("/orders/first/pay");
	}

	@AfterAll
	static void stop() {
		sample.close();
	}

	@Test
	void theFourthUnpaidOrderIsRejectedAndLeavesNoData() {
		useUpQuota(LATER);
		Answer refused = place("4", LATER);
		assertThat(refused.status()).isEqualTo(409);
		assertThat(refused.text("type")).isEqualTo("urn:delayqueue-sample:quota-exceeded");
		assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(find("4").status()).isEqualTo(404);
		assertThat(call("4", "pay").status()).isEqualTo(404);
		assertThat(total("")).isEqualTo(3);
		assertThat(sample.client().placeOrder(this.user + ":other", this.user + "-other", LATER).status())
			.isEqualTo(201);
	}

	@Test
	void payingCancellingAndTimeoutsFreeSlotsOfTheQuota() {
		useUpQuota(LATER);
		assertThat(place("4", LATER).status()).isEqualTo(409);
		call("1", "pay");
		assertThat(place("4", LATER).status()).isEqualTo(201);
		assertThat(place("5", LATER).status()).isEqualTo(409);
		call("2", "cancel");
		assertThat(place("5", Duration.ofMillis(300)).status()).isEqualTo(201);
		await().until(() -> place("6", LATER).status() == 201);
		assertThat(find("5").text("closedBy")).isEqualTo("TIMEOUT");
		assertThat(total("&status=UNPAID")).isEqualTo(3);
	}

	@Test
	void anExistingIdIsADuplicateInEveryStateAndWithAFullQuota() {
		place("0", LATER);
		call("0", "pay");
		useUpQuota(LATER);
		for (String known : List.of("0", "1")) {
			assertThat(place(known, LATER).text("type")).endsWith(":duplicate-order");
		}
	}

	@Test
	void concurrentRequestsNeverExceedTheQuota() throws Exception {
		ExecutorService callers = Executors.newFixedThreadPool(16);
		try {
			for (int round = 0; round < 10; round++) {
				String racer = this.user + ":" + round;
				List<Future<Answer>> answers = new ArrayList<>();
				for (int i = 0; i < 16; i++) {
					String id = racer + ":" + i;
					answers.add(callers.submit(() -> sample.client().placeOrder(id, racer, LATER)));
				}
				while (!answers.stream().allMatch(Future::isDone)) {
					assertThat(total(racer, "")).isLessThanOrEqualTo(3);
				}
				List<String> outcomes = new ArrayList<>();
				for (Future<Answer> answer : answers) {
					outcomes.add(answer.get().status() + answer.get().text("type"));
				}
				assertThat(outcomes).containsOnly("201", "409urn:delayqueue-sample:quota-exceeded");
				assertThat(outcomes).filteredOn("201"::equals).hasSize(3);
				assertThat(total(racer, "&status=UNPAID")).isEqualTo(3);
			}
		}
		finally {
			callers.shutdown();
		}
	}

	@Test
	void anOrderWithADeadLetteredTimeoutIsFlaggedAndStillCounts() {
		breakTimeouts();
		useUpQuota(Duration.ofMillis(100));
		await().until(() -> find("3").body().path("flagged").asBoolean());
		await().until(() -> find("1").body().path("flagged").asBoolean());
		assertThat(find("1").text("status")).isEqualTo("UNPAID");
		assertThat(sample.bean(DelayQueueOperations.class).find(OrderTimeouts.QUEUE, this.user + ":1"))
			.map(MessageSnapshot::state)
			.contains(MessageState.DEAD);
		assertThat(place("4", LATER).text("type")).endsWith(":quota-exceeded");
		mendTimeouts();

		Answer paid = call("1", "pay");
		assertThat(paid.status()).isEqualTo(200);
		assertThat(paid.body().has("flagged")).isFalse();
		assertThat(find("1").body().has("flagged")).isFalse();
		assertThat(place("4", LATER).status()).isEqualTo(201);
	}

	/** Makes every attempt to close an order by its timeout fail. */
	abstract void breakTimeouts();

	abstract void mendTimeouts();

	private void useUpQuota(Duration payWithin) {
		for (String id : List.of("1", "2", "3")) {
			assertThat(place(id, payWithin).status()).isEqualTo(201);
		}
	}

	Answer place(String id, Duration payWithin) {
		return sample.client().placeOrder(this.user + ":" + id, this.user, payWithin);
	}

	Answer find(String id) {
		return sample.client().get("/orders/" + this.user + ":" + id);
	}

	private Answer call(String id, String verb) {
		return sample.client().post("/orders/" + this.user + ":" + id + "/" + verb);
	}

	private int total(String filter) {
		return total(this.user, filter);
	}

	private static int total(String user, String filter) {
		return sample.client().get("/orders?limit=1&userId=" + user + filter).body().get("total").asInt();
	}

}
