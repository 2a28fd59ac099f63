package io.delayqueue.actuate;

import java.time.Duration;
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
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.delayqueue.actuate.fixture.Operating.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Operations on several dead letters and on whole queues over HTTP. Each test uses its
 * own queue.
 */
@ExtendWith(OutputCaptureExtension.class)
class OperateQueuesIntegrationTests {

	private static final Set<String> NEVER = Set.of("n-1", "n-2");

	private static final List<String> FIVE = List.of("f-1", "n-1", "f-2", "n-2", "f-3");

	private static Operating operating;

	@BeforeAll
	static void startApplication() {
		operating = Operating.start(SharedRedis.get().uri());
	}

	@AfterAll
	static void stopApplication() {
		operating.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "redrive", "discard" })
	void aDryRunCountsAndChangesNothing(String action, CapturedOutput output) {
		String queue = "dry-" + action;
		operating.letDie(queue, NEVER, FIVE);
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			assertThat(operating.post(queue, action, "{'dryRun':true}").body())
				.isEqualTo("{\"queue\":\"%s\",\"limit\":100,\"dryRun\":true,\"count\":5}".formatted(queue));
			assertThat(operating.post(queue, action, "{'dryRun':true,'reason':'NEVER_RETRIED'}").body())
				.isEqualTo("{\"queue\":\"%s\",\"reason\":\"NEVER_RETRIED\",\"limit\":100,\"dryRun\":true,\"count\":2}"
					.formatted(queue));
			assertThat(operating.post(queue, action, "{'dryRun':true,'limit':4}").json().get("count").asInt())
				.isEqualTo(4);
			assertThat(operating.post(queue, action, "{'dryRun':true,'reason':'EXPIRED'}").json().get("count").asInt())
				.isZero();
			assertThat(log.commands())
				.filteredOn((command) -> command.arguments().toString().contains("{" + queue + ":"))
				.noneMatch((command) -> Set.of("ZADD", "ZREM", "HSET", "HDEL").contains(command.name().toUpperCase()));
		}
		assertThat(operating.dead(queue)).containsExactlyInAnyOrderElementsOf(FIVE);
		assertThat(operating.operated.of(queue)).isEmpty();
		assertThat(output).doesNotContainPattern("' requested '\\w+' of queue '" + queue);
	}

	@Test
	void deadLettersAreRedrivenByReasonUpToALimit(CapturedOutput output) {
		operating.letDie("redrive", NEVER, FIVE);

		assertThat(operating.post("redrive", "redrive", "{'reason':'HANDLER_FAILED','limit':2}").body()).isEqualTo(
				"{\"queue\":\"redrive\",\"reason\":\"HANDLER_FAILED\",\"limit\":2,\"dryRun\":false,\"count\":2}");
		assertThat(operating.dead("redrive")).hasSize(3).contains("n-1", "n-2");
		assertThat(operating.post("redrive", "redrive", "{'dryRun':false}").json().get("count").asInt()).isEqualTo(3);
		assertThat(operating.dead("redrive")).isEmpty();
		FIVE.forEach((id) -> assertThat(operating.state("redrive", id)).isEqualTo(MessageState.SCHEDULED));
		assertThat(operating.operated.first("redrive")).isEqualTo(new DelayQueueOperatedEvent("redrive", Action.REDRIVE,
				null, null, "anonymous", 2, "2 dead letters were redriven with reason HANDLER_FAILED, of at most 2"));
		assertThat(output).contains("'anonymous' requested 'redrive' of queue 'redrive': 2 dead letters were redriven"
				+ " with reason HANDLER_FAILED, of at most 2");
	}

	@Test
	void redrivenMessagesCanBeSpreadOverTime() {
		operating.letDie("spread", Set.of(), IntStream.range(0, 20).mapToObj((i) -> "s-" + i).toList());
		Instant before = Instant.now();

		assertThat(operating.post("spread", "redrive", "{'within':'1d'}").json().get("count").asInt()).isEqualTo(20);

		List<Instant> next = IntStream.range(0, 20)
			.mapToObj((i) -> operating.delayQueue.find("spread", "s-" + i).orElseThrow().nextAttemptAt())
			.toList();
		assertThat(next).allSatisfy((at) -> assertThat(at).isBetween(before.minusSeconds(60),
				Instant.now().plus(Duration.ofDays(1)).plusSeconds(60)));
		assertThat(next).as("20 of them within an hour of a day")
			.anySatisfy((at) -> assertThat(at).isAfter(before.plus(Duration.ofHours(1))));
	}

	@Test
	void deadLettersAreDiscardedByReasonUpToALimit() {
		operating.letDie("discard", NEVER, FIVE);

		assertThat(operating.post("discard", "discard", "{'reason':'NEVER_RETRIED'}").json().get("count").asInt())
			.isEqualTo(2);
		assertThat(operating.dead("discard")).containsExactlyInAnyOrder("f-1", "f-2", "f-3");
		assertThat(operating.post("discard", "discard", "{'limit':'1'}").json().get("count").asInt()).isEqualTo(1);
		assertThat(operating.dead("discard")).hasSize(2);
		assertThat(operating.operated.first("discard").messages()).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "discard", "redrive" })
	void operationsAffectAHundredDeadLettersByDefault(String action) {
		String queue = "many-" + action;
		operating.schedule(queue, "first");
		try (RespClient redis = SharedRedis.get().client()) {
			String key = operating.application.prefix() + ":{" + queue + ":0}:";
			for (int i = 0; i < 250; i++) {
				redis.call("HSET", key + "messages", "id-" + i, "10000000000000001aaaaaaaaaaa\n\"p\"");
				redis.call("ZADD", key + "dead", "1", "id-" + i);
			}
		}
		assertThat(operating.post(queue, action, "{'dryRun':true,'limit':10000}").json().get("count").asInt())
			.isEqualTo(250);
		assertThat(operating.post(queue, action, "{}").json().get("count").asInt()).isEqualTo(100);
		assertThat(operating.dead(queue)).hasSize(150);
		assertThat(operating.post(queue, action, "{'limit':10000}").json().get("count").asInt()).isEqualTo(150);
		assertThat(operating.dead(queue)).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			redrive | {'limit':0}          | limit  | from 1 to 10000
			redrive | {'limit':10001}      | limit  | from 1 to 10000
			redrive | {'limit':'all'}      | limit  | from 1 to 10000
			redrive | {'limit':-1}         | limit  | from 1 to 10000
			redrive | {'limit':1.5}        | limit  | from 1 to 10000
			redrive | {'within':'8d'}      | within | a duration from 0 to 7 days
			redrive | {'within':'-1s'}     | within | a duration from 0 to 7 days
			redrive | {'within':'later'}   | within | a duration from 0 to 7 days
			redrive | {'dryRun':'yes'}     | dryRun | true or false
			redrive | {'dryRun':1}         | dryRun | true or false
			redrive | {'reason':'because'} | reason | a word of capital letters
			redrive | {'delay':'5m'}       | delay  | left out
			discard | {'limit':10001}      | limit  | from 1 to 10000
			discard | {'within':'5m'}      | within | left out
			discard | {'reason':''}        | reason | a word of capital letters
			discard | {'confirm':'bad'}    | confirm | left out
			pause   | {'id':'o-1'}         | id     | left out
			resume  | {'now':true}         | now    | left out
			drain   | {'dryRun':true}      | dryRun | left out
			hold    | {}                   | at or delay | one of them and not the other
			hold    | {'at':'2030-01-31T09:00:00Z','delay':'5m'} | at or delay | one of them
			hold    | {'at':'2001-01-31T09:00:00Z'}      | at    | after now
			hold    | {'at':'tomorrow'}    | at     | an instant
			hold    | {'delay':'-5m'}      | delay  | a duration
			hold    | {'delay':'0s'}       | delay  | a duration of more than 0
			hold    | {'delay':'5m','group':''}  | group | 1 to 200 code points
			hold    | {'delay':'5m','id':'o-1'}  | id    | left out
			release | {'why':'it is back'} | why    | left out
			reopen  | {'limit':1}          | limit  | left out
			audit   | {'from':'x'}         | from   | left out
			repair  | {'from':'x'}         | from   | the cursor of the previous repair
			repair  | {'dryRun':true}      | dryRun | left out
			purge   | {}                   | confirm | the name of the queue
			purge   | {'confirm':''}       | confirm | the name of the queue
			purge   | {'confirm':'BAD'}    | confirm | the name of the queue
			purge   | {'confirm':true}     | confirm | the name of the queue
			purge   | {'confirm':'bad','deadLetters':'all'} | deadLetters | true or false
			purge   | {'confirm':'bad','dryRun':true}       | dryRun      | left out
			""")
	void anInvalidParameterIsReportedWithItsRuleAndChangesNothing(String action, String body, String parameter,
			String rule) {
		operating.schedule("bad", "o-1");

		assertInvalid(operating.post("bad", action, body), parameter, rule);

		assertThat(operating.state("bad", "o-1")).isEqualTo(MessageState.SCHEDULED);
		assertThat(operating.admin.status("bad").isPaused()).isFalse();
		assertThat(operating.admin.holds("bad")).isEmpty();
		assertThat(operating.admin.status("bad").isDraining()).isFalse();
		assertThat(operating.operated.of("bad")).isEmpty();
	}

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

}
