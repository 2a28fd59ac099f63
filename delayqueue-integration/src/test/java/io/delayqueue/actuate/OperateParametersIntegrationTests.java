package io.delayqueue.actuate;

import java.time.Instant;
import java.util.List;

import io.delayqueue.MessageState;
import io.delayqueue.actuate.fixture.HostileRequests;
import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.event.DelayQueueOperatedEvent.Action;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.delayqueue.actuate.fixture.Operating.assertInvalid;
import static io.delayqueue.actuate.fixture.Operating.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The parameters of operations over HTTP: invalid, unknown and hostile ones are rejected
 * and change nothing. Each test uses its own queue.
 */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class OperateParametersIntegrationTests {

	@AutoClose
	private static final Operating operating = Operating.start(SharedRedis.get().uri());

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
			{'id':'o-1','delay':'30'}                    | delay | with its unit, for example 30s or PT30S
			{'id':'o-1','delay':30}                      | delay | with its unit, for example 30s or PT30S
			{'id':'o-1','delay':'+30'}                   | delay | with its unit, for example 30s or PT30S
			{'id':'o-1','delay':'0'}                     | delay | with its unit, for example 30s or PT30S
			{'id':'o-1','delay':'40000d'}                | delay | a duration from 0
			{'id':'o-1','delay':'4000d'}                 | delay | at most 3650d ahead
			{'id':'o-1','delay':'999999999999999999d'}   | delay | a duration from 0
			{'id':'o-1','at':'tomorrow'}                 | at    | an instant, for example
			{'id':'o-1','at':'2031-01-31'}               | at    | an instant, for example
			{'id':'o-1','at':'1969-12-31T23:59:59Z'}     | at    | an instant from 1970
			{'id':'o-1','at':'2100-01-01T00:00:00Z'}     | at    | at most 3650d ahead
			{'id':'o-1','delay':'1m','limit':1}          | limit | left out
			{'id':'o-1','delay':'1m','dryRun':false}     | dryRun | left out
			""")
	void anInvalidParameterOfAMessageIsReportedAndChangesNothing(String body, String parameter, String rule) {
		operating.schedule("move-not", "o-1");
		Instant due = operating.dueAt("move-not", "o-1");

		assertInvalid(operating.post("move-not", "reschedule", body), parameter, rule);

		assertThat(operating.dueAt("move-not", "o-1")).isEqualTo(due);
		assertThat(operating.operated.of("move-not")).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			redrive | {'limit':0}          | limit  | from 1 to 10000
			redrive | {'limit':10001}      | limit  | from 1 to 10000
			redrive | {'limit':'all'}      | limit  | from 1 to 10000
			redrive | {'limit':-1}         | limit  | from 1 to 10000
			redrive | {'limit':1.5}        | limit  | from 1 to 10000
			redrive | {'within':'8d'}      | within | a duration from 0 to 7 days
			redrive | {'within':'60'}      | within | with its unit, for example 30s or PT30S
			redrive | {'within':'-1s'}     | within | a duration from 0 to 7 days
			redrive | {'within':'later'}   | within | a duration from 0 to 7 days
			redrive | {'dryRun':'yes'}     | dryRun | true or false
			redrive | {'dryRun':1}         | dryRun | true or false
			redrive | {'reason':'HANDLER_FALED'} | reason | one of HANDLER_FAILED, NEVER_RETRIED
			redrive | {'delay':'5m'}       | delay  | left out
			discard | {'limit':10001}      | limit  | from 1 to 10000
			discard | {'within':'5m'}      | within | left out
			discard | {'reason':''}        | reason | one of HANDLER_FAILED
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
	void anInvalidParameterOfAQueueIsReportedAndChangesNothing(String action, String body, String parameter,
			String rule) {
		operating.schedule("bad", "o-1");

		assertInvalid(operating.post("bad", action, body), parameter, rule);

		assertThat(operating.state("bad", "o-1")).isEqualTo(MessageState.SCHEDULED);
		assertThat(operating.admin.status("bad").isPaused()).isFalse();
		assertThat(operating.admin.holds("bad")).isEmpty();
		assertThat(operating.admin.status("bad").isDraining()).isFalse();
		assertThat(operating.operated.of("bad")).isEmpty();
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
		assertThat(answer.json().get("detail").asString())
			.isEqualTo("parameters of the action must be among id, group");
		assertThat(operating.state("misspelt", "o-1")).isEqualTo(MessageState.SCHEDULED);
	}

	@ParameterizedTest
	@EnumSource(Action.class)
	void theParametersOfTheActionAreListed(Action action) {
		operating.schedule("listed", "o-1");
		List<String> accepted = ActionParameters.of(action);

		Answer answer = operating.post("listed", DiagnosticText.word(action), "{'unknown':'x'}");

		assertProblem(answer, 400, "unknown-parameter");
		assertThat(answer.json().get("detail").asString())
			.endsWith(accepted.isEmpty() ? "the action has no parameters" : " among " + String.join(", ", accepted));
		for (String parameter : accepted) {
			Answer known = operating.post("listed", DiagnosticText.word(action), "{'" + parameter + "':''}");
			assertThat(known.body()).as(parameter).doesNotContain("unknown-parameter");
		}
		assertThat(operating.state("listed", "o-1")).isEqualTo(MessageState.SCHEDULED);
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
		Answer misspelt = operating.post("knwon", "pause", "{}");
		assertProblem(misspelt, 404, "unknown-queue");
		assertThat(misspelt.json().get("detail").asString()).isEqualTo("Did you mean known?");
		assertProblem(operating.post("known", "cancle", "{'id':'o-1'}"), 404, "unknown-action");
		assertProblem(operating.post("known", "cancle", "{'ID':'o-1'}"), 404, "unknown-action");
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
