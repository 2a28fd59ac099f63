package io.delayqueue.actuate;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.MessageState;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueHold.By;
import io.delayqueue.event.DelayQueueOperatedEvent;
import io.delayqueue.event.DelayQueueOperatedEvent.Action;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Operations on whole queues over HTTP. Each test uses its own queue.
 */
@ExtendWith(OutputCaptureExtension.class)
class OperateQueuesIntegrationTests {

	@AutoClose
	private static final Operating operating = Operating.start(SharedRedis.get().uri());

	@Test
	void aQueueIsPausedAndResumed(CapturedOutput output) {
		operating.schedule("pause", "o-1");

		JsonNode paused = operating.post("pause", "pause", "{}").json();

		assertThat(paused.propertyNames()).containsExactly("queue", "paused", "pausedSince", "draining", "held");
		assertThat(paused.get("paused").asBoolean()).isTrue();
		assertThat(operating.admin.status("pause").pausedSince())
			.isEqualTo(Instant.parse(paused.get("pausedSince").asString()));
		assertThat(operating.post("pause", "pause", "").json()).isEqualTo(paused);
		assertThat(operating.post("pause", "resume", "{}").body())
			.isEqualTo("{\"queue\":\"pause\",\"paused\":false,\"draining\":false,\"held\":false}");
		assertThat(operating.admin.status("pause").isPaused()).isFalse();
		await()
			.untilAsserted(() -> assertThat(operating.operated.of("pause")).extracting(DelayQueueOperatedEvent::action)
				.containsExactly(Action.PAUSE, Action.PAUSE, Action.RESUME));
		assertThat(output).contains("'anonymous' requested 'pause' of queue 'pause': the queue is paused",
				"'anonymous' requested 'resume' of queue 'pause': the queue is not paused");
	}

	@Test
	void aQueueAndAGroupAreHeldAndReleased(CapturedOutput output) {
		operating.schedule("hold", "o-1");

		JsonNode held = operating.post("hold", "hold", "{'delay':'30m','why':'the shop is away'}").json();

		assertThat(held.propertyNames()).containsExactly("queue", "until", "by", "process", "why");
		assertThat(held.get("by").asString()).isEqualTo("OPERATOR");
		assertThat(held.get("why").asString()).isEqualTo("the shop is away");
		Instant until = Instant.parse(held.get("until").asString());
		assertThat(operating.admin.status("hold").hold()).isEqualTo(
				new QueueHold("hold", null, until, By.OPERATOR, held.get("process").asString(), "the shop is away"));
		assertThat(operating.post("hold", "hold", "{'delay':'1m'}").json()).as("the longer one stays").isEqualTo(held);
		JsonNode group = operating.post("hold", "hold", "{'at':'2100-01-01T00:00:00Z','group':'g'}").json();
		assertThat(group.get("group").asString()).isEqualTo("g");

		JsonNode shown = operating.application.get("/actuator/delayqueue/hold").json();
		assertThat(shown.get("held").asBoolean()).isTrue();
		assertThat(shown.get("heldUntil").asString()).isEqualTo(until.toString());
		assertThat(shown.get("heldGroups").asInt()).isEqualTo(1);
		assertThat(shown.get("holds")).hasSize(2);
		assertThat(shown.get("holds").get(0).get("why").asString()).isEqualTo("the shop is away");
		assertThat(shown.get("holds").get(1).get("group").asString()).isEqualTo("g");
		assertThat(operating.post("hold", "release", "{'group':'g'}").json().get("held").asBoolean()).isTrue();
		assertThat(operating.post("hold", "release", "{}").json().get("held").asBoolean()).isFalse();
		assertThat(operating.admin.holds("hold")).isEmpty();
		await()
			.untilAsserted(() -> assertThat(operating.operated.of("hold")).extracting(DelayQueueOperatedEvent::action)
				.containsExactly(Action.HOLD, Action.HOLD, Action.HOLD, Action.RELEASE, Action.RELEASE));
		assertThat(output).contains("'anonymous' requested 'hold' of queue 'hold': the queue is held until " + until,
				"Queue 'hold' is held until " + until + " by an operator");
	}

	@Test
	void aQueueIsDrainedAndReopened() {
		operating.schedule("drain", "o-1");

		JsonNode draining = operating.post("drain", "drain", "{}").json();

		assertThat(draining.propertyNames()).containsExactly("queue", "paused", "draining", "drainingSince", "held");
		assertThatExceptionOfType(QueueDrainingException.class).isThrownBy(() -> operating.schedule("drain", "o-2"));
		assertThat(operating.post("drain", "reopen", "{}").json().get("draining").asBoolean()).isFalse();
		operating.schedule("drain", "o-2");
		await().untilAsserted(() -> assertThat(operating.operated.of("drain"))
			.extracting(DelayQueueOperatedEvent::action, DelayQueueOperatedEvent::outcome)
			.containsExactly(tuple(Action.DRAIN, "the queue is draining"),
					tuple(Action.REOPEN, "the queue accepts messages")));
	}

	@Test
	void aPurgeRemovesDeadLettersOnlyOnRequest() {
		operating.letDie("purge", Set.of(), List.of("d-1", "d-2"));
		operating.schedule("purge", "o-1", "o-2", "o-3");

		assertThat(operating.post("purge", "purge", "{'confirm':'purge'}").body())
			.isEqualTo("{\"queue\":\"purge\",\"waiting\":3,\"inFlight\":0,\"deadLetters\":0}");
		assertThat(operating.state("purge", "o-1")).isNull();
		assertThat(operating.dead("purge")).hasSize(2);
		assertThat(operating.post("purge", "purge", "{'confirm':'purge','deadLetters':true}").body())
			.isEqualTo("{\"queue\":\"purge\",\"waiting\":0,\"inFlight\":0,\"deadLetters\":2}");
		assertThat(operating.dead("purge")).isEmpty();
		assertThat(operating.operated.first("purge")).isEqualTo(new DelayQueueOperatedEvent("purge", Action.PURGE, null,
				null, "anonymous", 3, "3 undelivered messages, 0 in flight and 0 dead letters were removed"));
	}

	@Test
	void damageIsFoundAndRepaired(CapturedOutput output) {
		operating.schedule("damaged", "o-1", "o-2", "o-3");
		assertThat(operating.post("damaged", "audit", "{}").body())
			.isEqualTo("{\"queue\":\"damaged\",\"addsUp\":true,\"messages\":3,\"partitions\":[]}");
		try (RespClient redis = SharedRedis.get().client()) {
			String key = operating.application.prefix() + ":{damaged:0}:";
			redis.call("ZREM", key + "scheduled", "o-1", "o-2");
			redis.call("ZADD", key + "scheduled", "4102444800000", "gone");
		}
		assertThat(operating.post("damaged", "audit", "{}").body())
			.isEqualTo("{\"queue\":\"damaged\",\"addsUp\":false,\"messages\":3,\"partitions\":[{\"number\":0,"
					+ "\"messages\":3,\"scheduled\":2,\"parked\":0,\"dead\":0,\"entries\":0,\"ready\":0,"
					+ "\"withoutPlace\":1,\"withoutEntry\":0,\"stranded\":0}]}");
		assertThat(operating.post("damaged", "repair", "{}").body()).isEqualTo(
				"{\"queue\":\"damaged\",\"noPlace\":2," + "\"twoPlaces\":0,\"early\":0,\"leftOver\":0,\"lost\":1}");
		assertThat(operating.post("damaged", "audit", "{}").json().get("addsUp").asBoolean()).isTrue();
		assertThat(Stream.of("o-1", "o-2").map((id) -> operating.state("damaged", id)))
			.containsOnly(MessageState.SCHEDULED);
		assertThat(output).contains("2 messages had only a record", "1 messages are lost",
				"requested 'repair' of queue 'damaged': 2 messages were repaired, 1 are lost",
				"requested 'audit' of queue 'damaged': the counts of the queue are consistent",
				"requested 'audit' of queue 'damaged': 1 partitions of the queue have inconsistent counts");
		await().untilAsserted(
				() -> assertThat(operating.operated.of("damaged")).extracting(DelayQueueOperatedEvent::action)
					.containsExactly(Action.AUDIT, Action.AUDIT, Action.REPAIR, Action.AUDIT));
	}

	@Test
	void aLongRepairContinuesFromTheCursor() {
		operating.schedule("wide", IntStream.range(0, 40).mapToObj((i) -> "w-" + i).toArray(String[]::new));
		try (RespClient redis = SharedRedis.get().client()) {
			for (int number = 0; number < 1024; number++) {
				redis.call("DEL", operating.application.prefix() + ":{wide:" + number + "}:scheduled");
			}
		}
		List<Integer> repaired = new ArrayList<>();
		String from = "null";
		do {
			Answer answer = operating.post("wide", "repair", "{'from':" + from + "}");
			assertThat(answer.status()).as(answer.body()).isEqualTo(200);
			repaired.add(answer.json().get("noPlace").asInt());
			from = answer.json().has("next") ? answer.json().get("next").toString() : "null";
		}
		while (!from.equals("null"));

		assertThat(repaired).hasSize(3);
		assertThat(repaired.stream().mapToInt(Integer::intValue).sum()).isEqualTo(40);
		assertThat(operating.post("wide", "audit", "{}").json().get("addsUp").asBoolean()).isTrue();
	}

	@Test
	void theRateLimitIsSetAndCleared() {
		operating.schedule("rated", "a");
		JsonNode limited = operating.post("rated", "limit-rate", "{'messages':'100','per':'10s'}").json();
		assertThat(limited.path("messages").asInt()).isEqualTo(100);
		assertThat(limited.path("per").asString()).isEqualTo("PT10S");
		assertThat(limited.path("burst").asInt()).isEqualTo(10);
		assertThat(limited.path("stored").asBoolean()).isTrue();
		JsonNode shown = operating.application.get("/actuator/delayqueue/rated").json().get("limits");
		assertThat(shown.propertyNames()).containsExactly("messages", "per", "burst", "stored", "maxInFlight");
		assertThat(shown.get("per").asString()).isEqualTo("PT10S");
		for (String wrong : List.of("{}", "{'messages':'0'}", "{'messages':'1','burst':'0'}",
				"{'messages':'1','per':'1ms'}", "{'messages':'1','at':'1'}")) {
			assertThat(operating.post("rated", "limit-rate", wrong).status()).as(wrong).isEqualTo(400);
		}
		JsonNode cleared = operating.post("rated", "clear-rate-limit", "{}").json();
		assertThat(cleared.path("stored").asBoolean()).isFalse();
		assertThat(cleared.has("messages")).isFalse();
		assertThat(operating.application.get("/actuator/delayqueue/rated").json().has("limits")).isFalse();
	}

	@Test
	void thePartitionCountIsChangedAndTheEpochsAreShown() {
		operating.schedule("growing", "a");

		JsonNode changed = operating.post("growing", "repartition", "{'partitions':'5'}").json();

		assertThat(changed.get("partitions").asInt()).isEqualTo(5);
		assertThat(changed.get("earlier").get(0).asInt()).isEqualTo(1);
		await().untilAsserted(() -> assertThat(
				operating.application.get("/actuator/delayqueue/growing").json().get("epochs").values())
			.extracting((epoch) -> epoch.get("state").asString())
			.containsExactly("older", "current"));
		JsonNode older = operating.application.get("/actuator/delayqueue/growing").json().get("epochs").get(0);
		assertThat(older.get("messages").asInt()).isEqualTo(1);
		assertThat(older.get("dead").asInt()).isZero();
		assertThat(older.get("lastDue").asString()).endsWith("Z");
		operating.schedule("growing", "b");
		assertThat(operating.application.get("/actuator/delayqueue/growing/messages?state=SCHEDULED")
			.json()
			.get("messages")
			.values()).extracting((message) -> message.get("id").asString() + message.get("epoch"))
			.containsExactly("a0", "b1");
		assertThat(operating.application.get("/actuator/delayqueue/growing/message?id=b").json().get("epoch").asInt())
			.isOne();
		for (String wrong : List.of("0", "1025", "x", "")) {
			assertThat(operating.post("growing", "repartition", "{'partitions':'" + wrong + "'}").status())
				.isEqualTo(400);
		}
		// Neither of the earlier epochs ends
		operating.schedule("growing", "b");
		operating.post("growing", "repartition", "{'partitions':'2'}");
		await().until(() -> operating.post("growing", "repartition", "{'partitions':'7'}").status() == 409
				&& operating.application.get("/actuator/delayqueue/growing").json().get("epochs").size() == 3);
	}

}
