package io.delayqueue.sample.pushes;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.sample.SampleInstances;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The Pushes part of the HTTP interface, on two instances. */
@Tag("slow")
class PushesIntegrationTests {

	private static SampleInstances sample;

	private static PushStore store;

	private final String id = "p:" + UUID.randomUUID();

	@BeforeAll
	static void start() {
		sample = SampleInstances.start();
		store = sample.bean(PushStore.class);
	}

	@AfterAll
	static void stop() {
		sample.close();
	}

	@Test
	void aPushIsDeliveredWhenItIsDueAndNotBefore() {
		Instant at = Instant.now().plusMillis(1200).truncatedTo(ChronoUnit.MILLIS);
		Answer set = set(this.id, at.toString(), "a ball");
		assertThat(set.status()).isEqualTo(201);
		assertThat(set.header("Location")).endsWith("/pushes/" + this.id);
		assertThat(set.body().propertyNames()).containsExactlyInAnyOrder("id", "at", "text", "deliveredAt");
		assertThat(set.instant("at")).isEqualTo(at);
		assertThat(set.text("text")).isEqualTo("a ball");
		assertThat(set.body().get("deliveredAt").isNull()).isTrue();
		assertThat(find(this.id).body()).isEqualTo(set.body());
		assertThat(set(this.id, at.toString(), "a ball").text("type")).endsWith(":duplicate-push");
		awaitDelivery(this.id);
		assertThat(find(this.id).instant("deliveredAt")).isAfterOrEqualTo(at);
		assertThat(set(this.id, at.toString(), "another").status()).isEqualTo(409);
		Answer deleted = delete(this.id);
		assertThat(deleted.status()).isEqualTo(409);
		assertThat(deleted.text("type")).endsWith(":push-delivered");
		assertThat(find(this.id).text("text")).isEqualTo("a ball");
	}

	@ParameterizedTest
	@ValueSource(strings = { "Z", "+08:00", "-03:30", "+0200", "-11", "+05:53:28" })
	void acceptsAnyOffset(String offset) {
		Instant at = Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.MILLIS);
		String local = at.atOffset(ZoneOffset.of(offset)).toLocalDateTime().toString();
		assertThat(set(this.id, local + offset, "").instant("at")).isEqualTo(at);
		assertThat(find(this.id).text("at")).isEqualTo(at.toString());
	}

	@Test
	void aFractionOfAMillisecondIsRoundedUp() {
		assertThat(set(this.id, "2035-01-01T00:00:00.000000001Z", "").text("at")).isEqualTo("2035-01-01T00:00:00.001Z");
	}

	@ParameterizedTest
	@ValueSource(strings = { "2020-02-29T12:00:00Z", "1969-12-31T23:59:59Z", "0001-01-01T00:00:00+18:00" })
	void pastDueTimesAreDeliveredAtOnce(String at) {
		assertThat(set(this.id, at, "late").status()).isEqualTo(201);
		awaitDelivery(this.id);
		assertThat(set(this.id, at, "late").status()).isEqualTo(409);
	}

	@Test
	void aPushThatIsDueWhileItIsBeingSetIsDelivered() throws Exception {
		int pushes = 1000;
		inParallel(pushes, (i) -> set(this.id + i, "2020-01-01T00:00:00Z", "").status());
		Set<Integer> waiting = new HashSet<>(IntStream.range(0, pushes).boxed().toList());
		await().until(() -> {
			waiting.removeIf((i) -> !find(this.id + i).text("deliveredAt").isEmpty());
			return waiting.isEmpty();
		});
	}

	@Test
	void pushesAreDeliveredInTimeIfLaterOnesAreSetFirst() {
		Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		for (int i = 9; i > 0; i--) {
			assertThat(set(this.id + i, now.plusMillis(1000 + i * 150L).toString(), "").status()).isEqualTo(201);
		}
		for (int i = 1; i < 10; i++) {
			awaitDelivery(this.id + i);
			assertThat(find(this.id + i).instant("deliveredAt")).isAfterOrEqualTo(find(this.id + i).instant("at"));
		}
	}

	@Test
	void aDeletedPushIsRemovedAndItsIdCanBeReused() {
		set(this.id, Instant.now().plusSeconds(3600).toString(), "first");
		String message = store.find(this.id).orElseThrow().messageId();
		DelayQueueOperations delayQueue = sample.bean(DelayQueueOperations.class);
		assertThat(delayQueue.find(Pushes.QUEUE, message)).isPresent();
		Answer deleted = delete(this.id);
		assertThat(deleted.status()).isEqualTo(204);
		assertThat(deleted.body().isMissingNode()).isTrue();
		assertThat(delayQueue.find(Pushes.QUEUE, message)).isEmpty();
		for (Answer answer : List.of(find(this.id), delete(this.id))) {
			assertThat(answer.status()).isEqualTo(404);
			assertThat(answer.text("type")).endsWith(":unknown-push");
		}
		assertThat(set(this.id, Instant.now().plusMillis(300).toString(), "second").status()).isEqualTo(201);
		// the message of the first push, if it had not been cancelled
		assertThat(store.deliver(this.id, message)).isFalse();
		awaitDelivery(this.id);
		assertThat(find(this.id).text("text")).isEqualTo("second");
		assertThat(find(this.id).instant("deliveredAt")).isAfterOrEqualTo(find(this.id).instant("at"));
	}

	@Test
	void eachPushIsEitherDeletedOrDelivered() throws Exception {
		int pushes = 200;
		Instant first = Instant.now().plusSeconds(2);
		inParallel(pushes, (i) -> set(this.id + i, first.plusMillis(i * 10L).toString(), "").status());
		set(this.id + pushes, "2035-01-01T00:00:00Z", "");
		set(this.id + (pushes + 1), "2020-01-01T00:00:00Z", "");
		awaitDelivery(this.id + (pushes + 1));
		await().until(() -> Instant.now().isAfter(first.plusMillis(pushes * 4L)));
		// from the last push, which is probably not due, to the first one, which may be
		// due
		List<Integer> statuses = inParallel(pushes + 2, (i) -> delete(this.id + (pushes + 1 - i)).status());
		assertThat(statuses).containsOnly(204, 409).contains(204, 409);
		// the deleted pushes would have been delivered before this one
		set(this.id + "last", first.plusMillis(pushes * 10L + 500).toString(), "");
		awaitDelivery(this.id + "last");
		for (int i = 0; i < pushes + 2; i++) {
			Answer push = find(this.id + (pushes + 1 - i));
			if (statuses.get(i) == 204) {
				assertThat(push.status()).isEqualTo(404);
			}
			else {
				assertThat(push.instant("deliveredAt")).isAfterOrEqualTo(push.instant("at"));
			}
		}
	}

	@Test
	void theFirstOfDeletionAndDeliveryWins() {
		Push delivered = draft("delivered");
		assertThat(store.draft(delivered) && store.confirm(delivered)).isTrue();
		assertThat(store.deliver(delivered.id(), delivered.messageId())).isTrue();
		assertThat(store.remove(delivered)).isFalse();
		Push removed = draft("removed");
		assertThat(store.draft(removed) && store.confirm(removed)).isTrue();
		assertThat(store.remove(removed)).isTrue();
		assertThat(store.deliver(removed.id(), removed.messageId())).isFalse();
		assertThat(find(removed.id()).status()).isEqualTo(404);
	}

	@Test
	void exactlyOneOfManyConcurrentCallsSetsThePush() throws Exception {
		for (int round = 0; round < 10; round++) {
			String contested = this.id + round;
			String at = Instant.now().plusMillis(500).toString();
			List<Integer> statuses = inParallel(16, (i) -> set(contested, at, "of " + i).status());
			assertThat(statuses).containsOnly(201, 409).containsOnlyOnce(201);
			awaitDelivery(contested);
			assertThat(find(contested).text("text")).isEqualTo("of " + statuses.indexOf(201));
		}
	}

	@Test
	void anInterruptedCallLeavesNoDataAndCanBeRepeated() {
		Push stopped = draft("stopped");
		assertThat(store.draft(stopped)).isTrue();
		assertThat(find(stopped.id()).status()).isEqualTo(404);
		assertThat(ttl(stopped.id())).isBetween(1L, 600_000L);
		assertThat(set(stopped.id(), "2035-01-01T00:00:00Z", "repeated").status()).isEqualTo(201);
		assertThat(ttl(stopped.id())).isEqualTo(-1L);
		assertThat(store.confirm(stopped)).isFalse();
		assertThat(store.deliver(stopped.id(), stopped.messageId())).isFalse();
		assertThat(find(stopped.id()).text("text")).isEqualTo("repeated");
	}

	@Test
	void aPushWhoseMessageIsDueBeforeItsConfirmationIsDelivered() {
		Push push = draft("early");
		store.draft(push);
		assertThat(store.deliver(push.id(), push.messageId())).isTrue();
		assertThat(store.confirm(push)).isTrue();
		assertThat(find(push.id()).text("deliveredAt")).isNotEmpty();
		assertThat(ttl(push.id())).isBetween(Duration.ofDays(6).toMillis(), Duration.ofDays(7).toMillis());
	}

	@Test
	void aPushIsDeliveredByAnotherInstance() {
		try (SampleInstances further = SampleInstances.start()) {
			further.client(0).post("/pushes", body(this.id, Instant.now().plusMillis(1500).toString(), "text"));
			further.stop(0);
			await().until(() -> !further.client(1).get("/pushes/" + this.id).text("deliveredAt").isEmpty());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "soon", "2030-01-01", "2030-01-01T00:00:00", "2030-02-30T00:00:00Z",
			"+12000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", "+999999999-12-31T23:59:59.999999999Z",
			"2030-01-01T00:00:00+25:00", "2030-01-01T00:00:00+01:00[Europe/Paris]" })
	void rejectsInvalidInstants(String at) {
		assertInvalid(set(this.id, at, ""), "at");
	}

	@Test
	void rejectsMissingAndOversizedFields() {
		assertInvalid(sample.client().post("/pushes", "{\"id\":\"%s\",\"text\":\"\"}".formatted(this.id)), "at");
		assertInvalid(
				sample.client().post("/pushes", "{\"id\":\"%s\",\"at\":\"2030-01-01T00:00:00Z\"}".formatted(this.id)),
				"text");
		assertInvalid(set("a b", "2030-01-01T00:00:00Z", ""), "id");
		assertInvalid(set(this.id, "2030-01-01T00:00:00Z", "a".repeat(10_001)), "text");
		assertThat(set(this.id, "9000-01-01T00:00:00Z", "").status()).isEqualTo(400);
		assertThat(find(this.id).status()).isEqualTo(404);
		assertThat(set(this.id, "2030-01-01T00:00:00Z", "\\n\\u00e4\\ud83c\\udf6c").status()).isEqualTo(201);
		assertThat(find(this.id).text("text")).isEqualTo("\n\u00e4\ud83c\udf6c");
	}

	private Push draft(String name) {
		return new Push(this.id + name, Instant.parse("2035-01-01T00:00:00Z"), name, null,
				UUID.randomUUID().toString());
	}

	private static Answer set(String id, String at, String text) {
		return sample.client().post("/pushes", body(id, at, text));
	}

	private static String body(String id, String at, String text) {
		return "{\"id\":\"%s\",\"at\":\"%s\",\"text\":\"%s\",\"more\":null}".formatted(id, at, text);
	}

	private static Answer find(String id) {
		return sample.client().get("/pushes/" + id);
	}

	private static Answer delete(String id) {
		return sample.client().delete("/pushes/" + id);
	}

	private static void awaitDelivery(String id) {
		await().until(() -> !find(id).text("deliveredAt").isEmpty());
	}

	private static Long ttl(String id) {
		return (Long) sample.redis().call("PTTL", "sample:push:" + id);
	}

	private static List<Integer> inParallel(int calls, IntFunction<Integer> call) throws Exception {
		ExecutorService callers = Executors.newFixedThreadPool(16);
		try {
			List<Future<Integer>> answers = new ArrayList<>();
			for (int i = 0; i < calls; i++) {
				int number = i;
				answers.add(callers.submit(() -> call.apply(number)));
			}
			List<Integer> results = new ArrayList<>();
			for (Future<Integer> answer : answers) {
				results.add(answer.get());
			}
			return results;
		}
		finally {
			callers.shutdown();
		}
	}

	private static void assertInvalid(Answer answer, String field) {
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.text("type")).endsWith(":invalid-request");
		assertThat(answer.text("field")).isEqualTo(field);
	}

}
