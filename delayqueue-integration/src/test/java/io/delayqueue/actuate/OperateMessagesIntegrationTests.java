package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;

import io.delayqueue.MessageState;
import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.event.DelayQueueOperatedEvent;
import io.delayqueue.event.DelayQueueOperatedEvent.Action;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.delayqueue.actuate.fixture.Operating.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Operations on single messages over HTTP, with unrestricted access. Each test uses its
 * own queue.
 */
@ExtendWith(OutputCaptureExtension.class)
class OperateMessagesIntegrationTests {

	@AutoClose
	private static final Operating operating = Operating.start(SharedRedis.get().uri());

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

	@Tag("slow")
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

	@Tag("slow")
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

}
