package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;

import io.delayqueue.MessageState;
import io.delayqueue.actuate.fixture.HostileRequests;
import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.event.DelayQueueOperatedEvent;
import io.delayqueue.event.DelayQueueOperatedEvent.Action;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.SharedRedis;
import org.awaitility.Awaitility;
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
import static io.delayqueue.actuate.fixture.Operating.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Operations on single messages over HTTP, with unrestricted access. Each test uses its
 * own queue.
 */
@ExtendWith(OutputCaptureExtension.class)
class OperateMessagesIntegrationTests {

	private static Operating operating;

	@BeforeAll
	static void startApplication() {
		operating = Operating.start(SharedRedis.get().uri());
	}

	@AfterAll
	static void stopApplication() {
		operating.close();
	}

	@Test
	void aMessageIsCancelledAndTheOperationIsReported(CapturedOutput output) {
		operating.schedule("cancel", "o-1", "o-2");

		Answer answer = operating.post("cancel", "cancel", "{'id':'o-1'}");

		assertThat(answer.status()).isEqualTo(200);
		assertThat(answer.body()).isEqualTo("{\"queue\":\"cancel\",\"id\":\"o-1\",\"result\":\"CANCELLED\"}");
		assertThat(operating.state("cancel", "o-1")).isNull();
		assertThat(operating.state("cancel", "o-2")).isEqualTo(MessageState.SCHEDULED);
		assertThat(operating.operated.first("cancel")).isEqualTo(new DelayQueueOperatedEvent("cancel", Action.CANCEL,
				"o-1", null, "anonymous", 1, "the message was cancelled"));
		assertThat(output.getOut().lines()).filteredOn((line) -> line.contains("' requested '"))
			.singleElement()
			.asString()
			.contains(" INFO ")
			.endsWith("'anonymous' requested 'cancel' of queue 'cancel', message 'o-1': the message was cancelled");
		assertProblem(operating.post("cancel", "cancel", "{'id':'o-1'}"), 404, "unknown-message");
	}

	@Test
	void aMessageIsSearchedInTheGivenGroup() {
		operating.scheduleInGroup("cancel-group", "o-1", "b");

		assertProblem(operating.post("cancel-group", "cancel", "{'id':'o-1','group':'c'}"), 404, "unknown-message");
		assertThat(operating.delayQueue.countGroup("cancel-group", "b")).isEqualTo(1);
		Answer answer = operating.post("cancel-group", "cancel", "{'id':'o-1','group':'b'}");

		assertThat(answer.json().get("group").asString()).isEqualTo("b");
		assertThat(operating.delayQueue.countGroup("cancel-group", "b")).isZero();
		assertThat(operating.operated.first("cancel-group").group()).isEqualTo("b");
	}

	@Test
	void cancellingAMessageInFlightRemovesItAndRespondsWithAConflict(CapturedOutput output) {
		operating.keepInFlight("cancel-late", "o-1");

		Answer answer = operating.post("cancel-late", "cancel", "{'id':'o-1'}");

		assertProblem(answer, 409, "cancelled-in-flight");
		assertThat(answer.json().get("detail").asString()).contains("handler may finish", "no retry");
		assertThat(operating.state("cancel-late", "o-1")).isNull();
		assertThat(operating.operated.first("cancel-late").outcome()).contains("while a consumer has it");
		assertThat(output).contains("queue 'cancel-late', message 'o-1': the message was removed while");
	}

	@Test
	void cancellingADeadLetterRemovesIt() {
		operating.letDie("cancel-dead", Set.of(), List.of("o-1"));

		assertThat(operating.post("cancel-dead", "cancel", "{'id':'o-1'}").json().get("result").asString())
			.isEqualTo("DEAD_LETTER");
		assertThat(operating.dead("cancel-dead")).isEmpty();
	}

	@Test
	void aMessageIsRescheduledToAnInstantADelayOrNow() {
		operating.schedule("move", "o-1");

		assertThat(operating.post("move", "reschedule", "{'id':'o-1','at':'2031-01-31T09:00:00.5+01:00'}").body())
			.isEqualTo("{\"queue\":\"move\",\"id\":\"o-1\",\"result\":\"RESCHEDULED\"}");
		assertThat(operating.dueAt("move", "o-1")).isEqualTo("2031-01-31T08:00:00.500Z");
		assertThat(operating.post("move", "reschedule", "{'id':'o-1','delay':'90m'}").status()).isEqualTo(200);
		assertDueIn(Duration.ofMinutes(90));
		assertThat(operating.post("move", "reschedule", "{'id':'o-1','delay':'PT3H','now':false}").status())
			.isEqualTo(200);
		assertDueIn(Duration.ofHours(3));
		assertThat(operating.post("move", "reschedule", "{'id':'o-1','now':true}").status()).isEqualTo(200);
		assertDueIn(Duration.ZERO);
		assertThat(operating.operated.of("move"))
			.allSatisfy((event) -> assertThat(event.action()).isEqualTo(Action.RESCHEDULE))
			.extracting(DelayQueueOperatedEvent::outcome)
			.startsWith("the message was rescheduled, at 2031-01-31T09:00:00.5+01:00",
					"the message was rescheduled, in 90m");
	}

	private static void assertDueIn(Duration delay) {
		assertThat(operating.dueAt("move", "o-1")).isCloseTo(Instant.now().plus(delay), within(10, ChronoUnit.MINUTES));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			{'id':'o-1'}                                 | at, delay or now | one of them and no other
			{'id':'o-1','now':false}                     | at, delay or now | one of them and no other
			{'id':'o-1','delay':'1m','now':true}         | at, delay or now | one of them and no other
			{'id':'o-1','at':'2031-01-31T09:00:00Z','delay':'1m'} | at, delay or now | one of them and no other
			{'delay':'1m'}                               | id    | given
			{'id':'','delay':'1m'}                       | id    | 1 to 200 code points
			{'id':'a\\u0000b','delay':'1m'}              | id    | control characters
			{'id':'o-1','group':'','delay':'1m'}         | group | 1 to 200 code points
			{'id':'o-1','now':'yes'}                     | now   | true or false
			{'id':'o-1','delay':'soon'}                  | delay | a duration from 0
			{'id':'o-1','delay':''}                      | delay | a duration from 0
			{'id':'o-1','delay':'-1s'}                   | delay | a duration from 0
			{'id':'o-1','delay':'40000d'}                | delay | a duration from 0
			{'id':'o-1','delay':'4000d'}                 | delay | at most PT87600H ahead
			{'id':'o-1','delay':'999999999999999999d'}   | delay | a duration from 0
			{'id':'o-1','at':'tomorrow'}                 | at    | an instant, for example
			{'id':'o-1','at':'2031-01-31'}               | at    | an instant, for example
			{'id':'o-1','at':'1969-12-31T23:59:59Z'}     | at    | an instant from 1970
			{'id':'o-1','at':'2100-01-01T00:00:00Z'}     | at    | at most PT87600H ahead
			{'id':'o-1','delay':'1m','limit':1}          | limit | left out
			{'id':'o-1','delay':'1m','dryRun':false}     | dryRun | left out
			""")
	void anInvalidParameterIsReportedWithItsRuleAndChangesNothing(String body, String parameter, String rule) {
		operating.schedule("move-not", "o-1");
		Instant due = operating.dueAt("move-not", "o-1");

		assertInvalid(operating.post("move-not", "reschedule", body), parameter, rule);

		assertThat(operating.dueAt("move-not", "o-1")).isEqualTo(due);
		assertThat(operating.operated.of("move-not")).isEmpty();
	}

	@Test
	void messagesInFlightAndDeadLettersAreNotRescheduled() {
		operating.keepInFlight("move-late", "o-1");
		operating.letDie("move-dead", Set.of(), List.of("o-1"));

		assertProblem(operating.post("move-late", "reschedule", "{'id':'o-1','now':true}"), 409, "in-flight");
		assertProblem(operating.post("move-dead", "reschedule", "{'id':'o-1','now':true}"), 409, "dead-letter");
		assertProblem(operating.post("move-dead", "reschedule", "{'id':'o-2','now':true}"), 404, "unknown-message");
		assertThat(operating.state("move-late", "o-1")).isEqualTo(MessageState.PENDING);
		assertThat(operating.dead("move-dead")).containsExactly("o-1");
		assertThat(operating.operated.of("move-late")).isEmpty();
		assertThat(operating.operated.of("move-dead")).isEmpty();
	}

	@Test
	void oneDeadLetterIsRedriven() {
		operating.letDie("redrive-one", Set.of(), List.of("o-1", "o-2"));

		assertThat(operating.post("redrive-one", "redrive", "{'id':'o-1'}").body())
			.isEqualTo("{\"queue\":\"redrive-one\",\"id\":\"o-1\",\"result\":\"REDRIVEN\"}");
		assertThat(operating.dead("redrive-one")).containsExactly("o-2");
		assertThat(operating.state("redrive-one", "o-1")).isEqualTo(MessageState.SCHEDULED);
		assertThat(operating.operated.first("redrive-one").action()).isEqualTo(Action.REDRIVE);
		assertProblem(operating.post("redrive-one", "redrive", "{'id':'o-1'}"), 404, "unknown-dead-letter");
	}

	@Test
	void oneDeadLetterIsDiscarded() {
		operating.letDie("discard-one", Set.of(), List.of("o-1", "o-2"));

		assertThat(operating.post("discard-one", "discard", "{'id':'o-1'}").body())
			.isEqualTo("{\"queue\":\"discard-one\",\"id\":\"o-1\",\"result\":\"DISCARDED\"}");
		assertThat(operating.dead("discard-one")).containsExactly("o-2");
		assertThat(operating.state("discard-one", "o-1")).isNull();
		assertProblem(operating.post("discard-one", "discard", "{'id':'o-1'}"), 404, "unknown-dead-letter");
	}

	@ParameterizedTest
	@CsvSource({ "redrive, REDRIVE, the dead letter was redriven", "discard, DISCARD, the dead letter was discarded" })
	void operationOnADeadLetterIsAnsweredAndReportedWhenTheReplyOfRedisIsLost(String action, Action expected,
			String outcome) {
		try (FaultProxy proxy = FaultProxy.to(SharedRedis.get().uri().getHost(), SharedRedis.get().uri().getPort());
				Operating lossy = Operating.start(proxy.uri())) {
			lossy.letDie("lossy", Set.of(), List.of("o-1"));
			// Redis has the script cached from now on, so the next call sends only its
			// digest
			assertProblem(lossy.post("lossy", action, "{'id':'o-2'}"), 404, "unknown-dead-letter");
			proxy.cutNextReplyTo(Scripts.digest(action));

			assertThat(lossy.post("lossy", action, "{'id':'o-1'}").status()).isEqualTo(200);

			assertThat(proxy.cuts()).isOne();
			assertThat(lossy.operated.first("lossy"))
				.isEqualTo(new DelayQueueOperatedEvent("lossy", expected, "o-1", null, "anonymous", 1, outcome));
		}
	}

	@Test
	void aDeadLetterOfAFullGroupIsNotRedriven() {
		operating.letDie("limited", Set.of(), List.of("o-1"));
		operating.scheduleInGroup("limited", "o-2", "g");

		assertProblem(operating.post("limited", "redrive", "{'id':'o-1'}"), 409, "quota-exceeded");
		assertThat(operating.dead("limited")).containsExactly("o-1");
		assertThat(operating.operated.of("limited")).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			redrive | {'id':'o-1','limit':5}     | limit
			redrive | {'id':'o-1','dryRun':true} | dryRun
			redrive | {'id':'o-1','within':'5m'} | within
			discard | {'id':'o-1','reason':'X'}  | reason
			discard | {'id':'o-1','dryRun':true} | dryRun
			discard | {'group':'a'}              | group
			cancel  | {'id':'o-1','confirm':'x'} | confirm
			""")
	void parametersThatConflictWithAnIdAreRejected(String action, String body, String parameter) {
		operating.schedule("beside", "o-1");
		assertInvalid(operating.post("beside", action, body), parameter, "left out");
		assertThat(operating.state("beside", "o-1")).isEqualTo(MessageState.SCHEDULED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "{'id':'o-1','Group':'a'}", "{'id':'o-1','dryrun':true}", "{'id':'o-1','security':'x'}",
			"{'id':'o-1','':'x'}" })
	void anUnknownParameterIsRejected(String body) {
		operating.schedule("misspelt", "o-1");
		Answer answer = operating.post("misspelt", "cancel", body);

		assertProblem(answer, 400, "unknown-parameter");
		assertThat(answer.json().get("detail").asString()).isEqualTo("parameters must be among id, group, at, delay,"
				+ " now, reason, limit, within, dryRun, confirm, deadLetters, from, partitions,"
				+ " why, messages, per, burst, key");
		assertThat(operating.state("misspelt", "o-1")).isEqualTo(MessageState.SCHEDULED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "{'id':", "[]", "'o-1'", "{'id':{'a':1}}", "{'id':['o-1']}" })
	void aMalformedBodyIsAClientError(String body) {
		operating.schedule("malformed", "o-1");
		assertThat(operating.post("malformed", "cancel", body).status()).isEqualTo(400);
	}

	@Test
	void anUnknownQueueOrActionIsNotFound() {
		operating.schedule("known", "o-1");

		assertProblem(operating.post("missing", "cancel", "{'id':'o-1'}"), 404, "unknown-queue");
		assertProblem(operating.post("missing", "pause", "{}"), 404, "unknown-queue");
		assertProblem(operating.post("known", "cancle", "{'id':'o-1'}"), 404, "unknown-action");
		assertProblem(operating.post("known", "CANCEL", "{'id':'o-1'}"), 404, "unknown-action");
		assertThat(operating.application.call("DELETE", "/actuator/delayqueue/known/cancel").status()).isEqualTo(405);
		assertProblem(operating.application.get("/actuator/delayqueue/known/cancel"), 404, "unknown-view");
		assertThat(operating.state("known", "o-1")).isEqualTo(MessageState.SCHEDULED);
	}

	@Test
	void bodyParametersOverrideThePathAndAreReported() {
		operating.schedule("of-the-path", "o-1");
		operating.schedule("of-the-body", "o-1");

		Answer answer = operating.post("of-the-path", "cancel", "{'id':'o-1','queue':'of-the-body'}");

		assertThat(answer.json().get("queue").asString()).isEqualTo("of-the-body");
		assertThat(operating.state("of-the-path", "o-1")).isEqualTo(MessageState.SCHEDULED);
		assertThat(operating.operated.first("of-the-body").id()).isEqualTo("o-1");
	}

	@Test
	void aProcessWithAnotherPartitionCountOperatesTheQueue() {
		operating.schedule("parted", "a", "b", "c", "d");
		try (WebApplication other = WebApplication.start(SharedRedis.get().uri(),
				"management.endpoint.delayqueue.access=unrestricted",
				"delayqueue.key-prefix=" + operating.application.prefix())) {
			String path = "/actuator/delayqueue/parted/";
			for (String id : List.of("a", "b", "c")) {
				assertThat(other.post(path + "cancel", "{\"id\":\"" + id + "\"}").status()).isEqualTo(200);
			}
			assertThat(other.post(path + "audit", "{}").json().get("messages").asInt()).isEqualTo(1);
		}
		assertThat(operating.post("parted", "cancel", "{'id':'d'}").status()).isEqualTo(200);
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
		Awaitility.await()
			.untilAsserted(() -> assertThat(
					operating.application.get("/actuator/delayqueue/growing").json().get("epochs").values())
				.extracting((epoch) -> epoch.get("state").asString())
				.containsExactly("older", "current"));
		JsonNode older = operating.application.get("/actuator/delayqueue/growing").json().get("epochs").get(0);
		assertThat(older.get("messages").asInt()).isEqualTo(1);
		assertThat(older.get("dead").asInt()).isZero();
		assertThat(older.get("lastDue").asString()).endsWith("Z");
		for (String wrong : List.of("0", "1025", "x", "")) {
			assertThat(operating.post("growing", "repartition", "{'partitions':'" + wrong + "'}").status())
				.isEqualTo(400);
		}
		// Neither of the earlier epochs ends
		operating.schedule("growing", "b");
		operating.post("growing", "repartition", "{'partitions':'2'}");
		Awaitility.await()
			.until(() -> operating.post("growing", "repartition", "{'partitions':'7'}").status() == 409
					&& operating.application.get("/actuator/delayqueue/growing").json().get("epochs").size() == 3);
	}

	@Test
	void noIdCanForgeALogLine(CapturedOutput output) {
		String id = "x': gone\u2028INFO 'root' requested \u202e\\u0027";
		operating.schedule("forged", id);

		assertThat(operating.application
			.post("/actuator/delayqueue/forged/cancel", "{\"id\":" + WebApplication.quoted(id) + "}")
			.status()).isEqualTo(200);

		assertThat(output.getOut().lines()).filteredOn((line) -> line.contains("requested 'cancel' of queue 'forged'"))
			.singleElement()
			.asString()
			.endsWith(", message 'x\\u0027: gone\\u2028INFO \\u0027root\\u0027 requested"
					+ " \\u202e\\u005cu0027': the message was cancelled");
		assertThat(operating.operated.first("forged").id()).isEqualTo(id);
	}

	@Test
	void hostileParametersAreClientErrors() {
		operating.schedule("hostile", "o-1");
		List<String> names = List.of("id", "group", "at", "delay", "now", "reason", "limit", "within", "dryRun",
				"confirm", "deadLetters", "from");
		List<String> actions = List.of("cancel", "reschedule", "redrive", "discard", "purge", "repair");
		List<String> texts = HostileRequests.texts();
		for (int i = 0; i < texts.size() * 6; i++) {
			String text = texts.get(i % texts.size());
			String name = names.get(i % names.size());
			String beside = (i % 3 == 0 && !name.equals("id")) ? "\"id\":\"none\"," : "";
			String body = "{" + beside + "\"" + name + "\":" + WebApplication.quoted(text) + "}";
			Answer answer = operating.application
				.post("/actuator/delayqueue/hostile/" + actions.get((i / 7) % actions.size()), body);
			assertThat(answer.status()).as(body).isBetween(200, 499);
			assertThat(answer.body()).as(body)
				.doesNotContain("\tat ", "Exception", "io.delayqueue", "org.springframework", HostileRequests.MARKUP);
		}
		assertThat(operating.state("hostile", "o-1")).isEqualTo(MessageState.SCHEDULED);
	}

}
