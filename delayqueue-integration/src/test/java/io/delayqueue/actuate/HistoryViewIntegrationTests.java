package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageEnd;
import io.delayqueue.MessageEnd.How;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringResult;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.admin.HistoryPage;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The history of queues, as applications and operators see it.
 */
@Tag("slow")
class HistoryViewIntegrationTests {

	private static Operating operating;

	@BeforeAll
	static void start() {
		operating = Operating.start(SharedRedis.get().uri(), "delayqueue.queues.told.history.for=7d",
				"delayqueue.queues.told.back-off.first=1ms", "delayqueue.queues.told.partitions=3",
				"delayqueue.queues.grown.history.at-most=1000", "delayqueue.queues.stacked.failure-stack=300",
				"delayqueue.queues.stacked.history.for=1d");
	}

	@AfterAll
	static void stop() {
		operating.close();
	}

	@Test
	void theStoryOfAMessageIsFound() {
		Instant begin = Instant.now();
		operating.letDie("told", Set.of(), List.of("t-1"));
		String where = operating.application.bean(DelayQueueEngine.class).fleet().member();
		assertThat(operating.state("told", "t-1")).isEqualTo(MessageState.DEAD);
		JsonNode failure = get("told/message?id=t-1").json().get("lastFailure");
		assertThat(failure.get("process").asString()).isEqualTo(where);
		assertThat(failure.get("tookMillis").asLong()).isNotNegative();
		assertThat(Instant.parse(failure.get("at").asString())).isBetween(begin.minusSeconds(60),
				Instant.now().plusSeconds(60));
		operating.admin.discard(MessageKey.of("told", "t-1"));

		MessageSnapshot found = operating.delayQueue.find("told", "t-1").orElseThrow();
		assertThat(found.state()).isEqualTo(MessageState.FINISHED);
		assertThat(found.attempts()).isEqualTo(1);
		assertThat(found.lastFailure()).isEqualTo("HANDLER_FAILED|java.lang.IllegalStateException|null");
		MessageEnd end = found.end();
		assertThat(end).isNotNull();
		assertThat(end.how()).isEqualTo(How.DISCARDED);
		assertThat(end.where()).isEqualTo(where);

		JsonNode message = get("told/message?id=t-1").json();
		assertThat(message.get("state").asString()).isEqualTo("FINISHED");
		assertThat(message.get("end").get("how").asString()).isEqualTo("DISCARDED");
		assertThat(message.get("end").get("at").asString()).isEqualTo(end.at().toString());
		assertThat(message.get("lastFailure").get("exception").asString()).isEqualTo("java.lang.IllegalStateException");
		assertThat(message.has("payload")).isFalse();

		operating.schedule("told", "t-1");
		assertThat(operating.state("told", "t-1")).isEqualTo(MessageState.SCHEDULED);
		operating.delayQueue.cancel("told", "t-1");
		assertThat(get("told/message?id=t-1").json().get("end").get("how").asString()).isEqualTo("CANCELLED");
		assertThat(get("told/message?id=t-none").status()).isEqualTo(404);
	}

	@Test
	void theHistoryTellsHowLongTheLastHandlerRan() {
		operating.letDie("told", Set.of(), List.of("h-1"));
		operating.delayQueue.schedule(ScheduleRequest.to("told").payload("p").id("h-2").delay(Duration.ZERO));
		QueueConsumer consumer = operating.application.consume("told", 1, (delivery) -> null);
		await().until(() -> operating.state("told", "h-2") == MessageState.FINISHED);
		consumer.stop(Duration.ofSeconds(5));
		operating.schedule("told", "h-3");
		operating.delayQueue.cancel("told", "h-3");

		assertThat(operating.delayQueue.find("told", "h-2").orElseThrow().end().took()).isBetween(Duration.ZERO,
				Duration.ofMinutes(1));
		assertThat(get("told/message?id=h-2").json().get("end").get("tookMillis").asLong()).isBetween(0L, 60_000L);
		assertThat(get("told/history?limit=1000").json().get("messages").values())
			.filteredOn((one) -> one.get("id").asString().startsWith("h-"))
			.allSatisfy((one) -> assertThat(one.has("tookMillis")).as(one.toString())
				.isEqualTo(!one.get("id").asString().equals("h-3")));
		operating.admin.discard(MessageKey.of("told", "h-1"));
	}

	@Test
	void theBeginningOfTheStackTraceIsKeptIfItsQueueSaysSo() {
		operating.letDie("stacked", Set.of(), List.of("s-1"));
		operating.letDie("unstacked", Set.of(), List.of("s-1"));

		assertThat(get("stacked/message?id=s-1").json().get("lastFailure").get("stack").asString())
			.startsWith("java.lang.IllegalStateException\n\tat io.delayqueue")
			.hasSize(303)
			.endsWith("...");
		assertThat(get("unstacked/message?id=s-1").json().get("lastFailure").has("stack")).isFalse();
		assertThat(get("stacked/dead-letters").body()).doesNotContain("\\tat ");
		assertThat(get("stacked/messages?state=DEAD").body()).doesNotContain("\\tat ");
		operating.admin.discard(MessageKey.of("stacked", "s-1"));
		JsonNode failure = get("stacked/history").json().get("messages").get(0).get("lastFailure");
		assertThat(failure.get("message").asString()).isEqualTo("null");
		assertThat(failure.get("tookMillis").asLong()).isNotNegative();
		assertThat(failure.has("stack")).isFalse();
	}

	@Test
	void theCreationIsKnownInQueuesWithAHistory() {
		Instant begin = Instant.now().minusMillis(1);
		operating.schedule("told", "c-1");
		JsonNode told = get("told/message?id=c-1").json();
		assertThat(told.get("createdBy").asString())
			.isEqualTo(operating.application.bean(DelayQueueEngine.class).fleet().member());
		assertThat(Instant.parse(told.get("createdAt").asString())).isBetween(begin, Instant.now());
		operating.schedule("silent", "c-1");
		assertThat(get("silent/message?id=c-1").json().has("createdBy")).isFalse();

		RecurringOperations recurring = operating.application.bean(RecurringOperations.class);
		RecurringSchedule schedule = RecurringSchedule.to("told", "daily").payload("p").every(Duration.ofDays(1));
		recurring.createOrReplace(schedule);
		assertThat(recurring.createOrReplace(schedule)).as("with the same bytes").isEqualTo(RecurringResult.UNCHANGED);
		recurring.delete("told", "daily");
	}

	@Test
	void theRetriesToComeAreShown() {
		operating.delayQueue.schedule(ScheduleRequest.to("tried")
			.payload("p")
			.id("r-1")
			.maxAttempts(4)
			.backOff(BackOffPolicy.exponential(Duration.ofHours(1), 3, Duration.ofDays(1)))
			.delay(Duration.ZERO));
		JsonNode before = get("tried/message?id=r-1").json();
		assertThat(before.get("maxAttempts").asInt()).isEqualTo(4);
		assertThat(waits(before)).containsExactly(1L, 3L, 9L);
		QueueConsumer consumer = operating.application.consume("tried", 1, (delivery) -> {
			throw new IllegalStateException("busy");
		});
		await().until(() -> get("tried/message?id=r-1").json().get("attempts").asInt() == 1);
		assertThat(waits(get("tried/message?id=r-1").json())).containsExactly(3L, 9L);
		consumer.stop(Duration.ofSeconds(5));
	}

	/** The hours between the next attempt and the attempts after it. */
	private static List<Long> waits(JsonNode message) {
		List<Long> waits = new ArrayList<>();
		Instant at = Instant.parse(message.get("nextAttemptAt").asString());
		for (JsonNode retry : message.get("retries")) {
			Instant next = Instant.parse(retry.asString());
			waits.add(Duration.between(at, next).toHours());
			at = next;
		}
		return waits;
	}

	@Test
	void pagesListTheLatestEndFirstOverAllPartitions() {
		keep("told");
		for (int i = 0; i < 30; i++) {
			operating.schedule("told", "p-" + i);
			operating.delayQueue.cancel("told", "p-" + i);
		}
		List<String> ids = new ArrayList<>();
		List<String> times = new ArrayList<>();
		String from = "";
		do {
			JsonNode page = get("told/history?limit=7" + from).json();
			page.get("messages").forEach((one) -> {
				ids.add(one.get("id").asString());
				times.add(one.get("at").asString());
			});
			from = page.has("next") ? "&from=" + page.get("next").asString() : null;
		}
		while (from != null);
		assertThat(ids).filteredOn((id) -> id.startsWith("p-")).hasSize(30).doesNotHaveDuplicates();
		assertThat(times.stream().map(java.time.Instant::parse).toList())
			.isSortedAccordingTo(java.util.Comparator.reverseOrder());
		@Nullable String next = null;
		int all = 0;
		do {
			HistoryPage page = operating.admin.history("told", next, 11);
			all += page.messages().size();
			next = page.next();
		}
		while (next != null);
		assertThat(all).isEqualTo(ids.size());
	}

	@Test
	void invalidParametersAreRejected() {
		keep("told");
		Operating.assertInvalid(get("told/history?limit=0"), "limit", "from 1 to 1000");
		Operating.assertInvalid(get("told/history?from=abc"), "from", "the cursor of the previous");
		Operating.assertInvalid(get("told/messages?state=FINISHED"), "state", "SCHEDULED");
		assertThat(get("missing/history").status()).isEqualTo(404);
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> operating.admin.history("told", null, 1001));
	}

	@Test
	void aQueueWithoutAHistoryHasNone() {
		operating.schedule("silent", "s-1");
		operating.delayQueue.cancel("silent", "s-1");
		assertThat(get("silent/history").body()).isEqualTo("{\"queue\":\"silent\",\"messages\":[]}");
		assertThat(operating.delayQueue.find("silent", "s-1")).isEmpty();
	}

	@Test
	void aHistoryOutlivesAChangeOfThePartitionCount() {
		keep("grown");
		operating.schedule("grown", "g-1");
		operating.delayQueue.cancel("grown", "g-1");
		operating.admin.repartition("grown", 4);
		await()
			.untilAsserted(() -> assertThat(operating.admin.status("grown")).extracting(Object::toString).isNotNull());
		operating.delayQueue.schedule(ScheduleRequest.to("grown").payload("p").id("g-2").delay(Duration.ofHours(1)));
		operating.delayQueue.cancel("grown", "g-2");
		assertThat(operating.state("grown", "g-1")).isEqualTo(MessageState.FINISHED);
		assertThat(operating.state("grown", "g-2")).isEqualTo(MessageState.FINISHED);
		assertThat(operating.admin.history("grown", null, 10).messages()).extracting(MessageSnapshot::id)
			.startsWith("g-2", "g-1");
		operating.schedule("grown", "g-1");
		assertThat(operating.state("grown", "g-1")).isEqualTo(MessageState.SCHEDULED);
	}

	/** Runs a consumer until it has stored in Redis that the queue keeps a history. */
	private static void keep(String queue) {
		QueueConsumer consumer = operating.application.consume(queue, 1, (delivery) -> null);
		int[] tries = { 0 };
		await().until(() -> {
			String id = "keep-" + tries[0]++;
			operating.schedule(queue, id);
			operating.delayQueue.cancel(queue, id);
			return operating.state(queue, id) == MessageState.FINISHED && tries[0] > 30;
		});
		consumer.stop(Duration.ofSeconds(5));
	}

	private static Answer get(String path) {
		return operating.application.get("/actuator/delayqueue/" + path);
	}

}
