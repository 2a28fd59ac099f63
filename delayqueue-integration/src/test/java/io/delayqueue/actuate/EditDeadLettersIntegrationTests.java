package io.delayqueue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.event.DelayQueueOperatedEvent.Action;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.delayqueue.actuate.fixture.Operating.assertInvalid;
import static io.delayqueue.actuate.fixture.Operating.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Edits of dead letters over HTTP. Each test uses its own queue.
 */
@ExtendWith(OutputCaptureExtension.class)
class EditDeadLettersIntegrationTests {

	@AutoClose
	private static final Operating operating = Operating.start(SharedRedis.get().uri(),
			"management.endpoint.delayqueue.show-payloads=always", "delayqueue.defaults.max-payload-size=40B");

	@Test
	void anEditedDeadLetterIsRedrivenAndTheDigestsOfBothVersionsAreReported(CapturedOutput output) {
		operating.letDie("edit", Set.of(), List.of("o-1"));

		JsonNode edited = edit("edit", "{'id':'o-1','payload':'{`amount`:[1,null]}','headers':'{`a`:`b`,`gone`:null}'}")
			.json();

		assertThat(edited.get("result").asString()).isEqualTo("EDITED");
		assertThat(edited.get("id").asString()).isEqualTo("o-1");
		String before = edited.get("digestBefore").asString();
		String after = edited.get("digestAfter").asString();
		assertThat(List.of(before, after)).doesNotHaveDuplicates()
			.allSatisfy((digest) -> assertThat(digest).matches("[0-9a-f]{64}"));
		JsonNode message = message("edit", "o-1");
		assertThat(message.get("state").asString()).isEqualTo("SCHEDULED");
		assertThat(message.get("attempts").asInt()).isZero();
		assertThat(message.get("payload").get("content").asString()).isEqualTo("{\"amount\":[1,null]}");
		assertThat(message.get("headers").toString()).isEqualTo("{\"a\":\"b\"}");
		assertThat(operating.operated.first("edit")).satisfies((event) -> {
			assertThat(event.action()).isEqualTo(Action.EDIT);
			assertThat(event.id()).isEqualTo("o-1");
			assertThat(event.outcome()).contains(before, after);
		});
		assertThat(output).contains("'anonymous' requested 'edit' of queue 'edit', message 'o-1': the dead letter was"
				+ " edited and redriven; SHA-256 before " + before + ", after " + after);
		assertProblem(edit("edit", "{'id':'o-1','payload':'1'}"), 404, "unknown-dead-letter");
		assertThat(message("edit", "o-1").get("payload").get("size").asInt()).isEqualTo(19);
	}

	@Test
	void aDeadLetterGetsAnotherId() {
		operating.letDie("rename", Set.of(), List.of("o-1", "o-2"));
		operating.schedule("rename", "o-3");

		assertProblem(edit("rename", "{'id':'o-1','newId':'o-2'}"), 409, "duplicate");
		assertProblem(edit("rename", "{'id':'o-1','newId':'o-3'}"), 409, "duplicate");
		assertThat(operating.dead("rename")).containsExactlyInAnyOrder("o-1", "o-2");
		JsonNode edited = edit("rename", "{'id':'o-1','newId':'o-4','headers':'{`a`:`b`}'}").json();

		assertThat(edited.get("id").asString()).isEqualTo("o-4");
		assertThat(operating.state("rename", "o-1")).isNull();
		assertThat(operating.state("rename", "o-4")).isEqualTo(MessageState.SCHEDULED);
		JsonNode message = message("rename", "o-4");
		assertThat(message.get("payload").get("content").asString()).isEqualTo("\"p\"");
		assertThat(message.get("headers").toString()).isEqualTo("{\"a\":\"b\"}");
		operating.admin.drain("rename");
		assertProblem(edit("rename", "{'id':'o-2','newId':'o-5'}"), 409, "draining");
		assertThat(edit("rename", "{'id':'o-2','payload':'`q`'}").status()).isEqualTo(200);
		assertThat(operating.state("rename", "o-2")).isEqualTo(MessageState.SCHEDULED);
	}

	/** As after a process was killed before it had removed the dead letter. */
	@Test
	void theRepeatOfAStoppedEditSchedulesNoSecondMessage() {
		operating.letDie("stopped", Set.of(), List.of("o-1"));
		String key = operating.application.prefix() + ":{stopped:0}:";
		try (RespClient redis = SharedRedis.get().client()) {
			Object record = redis.call("HGET", key + "messages", "o-1");
			Object died = redis.call("ZSCORE", key + "dead", "o-1");
			assertThat(edit("stopped", "{'id':'o-1','newId':'o-2'}").status()).isEqualTo(200);
			redis.call("HSET", key + "messages", "o-1", String.valueOf(record));
			redis.call("ZADD", key + "dead", String.valueOf(died), "o-1");

			assertProblem(edit("stopped", "{'id':'o-1','newId':'o-2','payload':'2'}"), 409, "duplicate");
			assertThat(edit("stopped", "{'id':'o-1','newId':'o-2'}").status()).isEqualTo(200);

			assertThat(operating.dead("stopped")).isEmpty();
			assertThat(redis.call("HLEN", key + "messages")).isEqualTo(1L);
		}
	}

	@Test
	void theQuotaOfTheGroupAppliesToAnEdit() {
		operating.letDie("limited", Set.of(), List.of("o-1"));
		operating.scheduleInGroup("limited", "o-2", "g");

		assertProblem(edit("limited", "{'id':'o-1','payload':'1'}"), 409, "quota-exceeded");
		assertProblem(edit("limited", "{'id':'o-1','newId':'o-3'}"), 409, "quota-exceeded");

		assertThat(operating.dead("limited")).containsExactly("o-1");
		assertThat(message("limited", "o-1").get("payload").get("content").asString()).isEqualTo("\"p\"");
	}

	@Test
	void aMessageHasAtMost64Headers() {
		operating.letDie("many-headers", Set.of(), List.of("o-1"));
		String headers = IntStream.range(0, 65).mapToObj((n) -> "`h-" + n + "`:`v`").collect(Collectors.joining(","));

		assertInvalid(edit("many-headers", "{'id':'o-1','headers':'{" + headers + "}'}"), "headers",
				"at most 64 headers");

		assertThat(operating.dead("many-headers")).containsExactly("o-1");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					{'payload':'1'}                               | id       | given
					{'id':'o-1','newId':''}                       | newId    | 1 to 200 code points
					{'id':'o-1','newId':'a\\u0000b'}              | newId    | control characters
					{'id':'o-1','headers':'a=b'}                  | headers  | a JSON object of texts
					{'id':'o-1','headers':'{`a`:1}'}             | headers  | a JSON object of texts
					{'id':'o-1','headers':'{``:`b`}'}            | headers  | 1 to 200 code points
					{'id':'o-1','headers':'{`a`:`******`}'}       | headers  | left out if they are hidden
					{'id':'o-1','payload':'{`a`:}'}   | payload  | JSON, as the present payload is; it is not in line 1, column 6
					{'id':'o-1','payload':''}                     | payload  | JSON, as the present payload is
					{'id':'o-1','payload':'p'}                    | payload  | JSON, as the present payload is
					{'id':'o-1','payload':'1 2'}                  | payload  | JSON, as the present payload is
					{'id':'o-1','payload':'123456789012345678901234567890123456789012'} | payload | of at most 40 bytes
					{'id':'o-1','payload':'?','encoding':'base64'} | payload | Base64
					{'id':'o-1','payload':'1','encoding':'hex'}   | encoding | text or base64
					{'id':'o-1','headers':'null'}                 | headers  | a JSON object of texts
					{'id':'o-1','limit':1}                        | limit    | left out
					""")
	void anInvalidEditIsReportedAndChangesNothing(String body, String parameter, String rule) {
		if (operating.state("bad-edit", "o-1") == null) {
			operating.letDie("bad-edit", Set.of(), List.of("o-1"));
		}
		assertInvalid(edit("bad-edit", body), parameter, rule);
		assertThat(operating.dead("bad-edit")).containsExactly("o-1");
		assertThat(operating.operated.of("bad-edit")).isEmpty();
	}

	@Test
	void aMessageKeepsItsGroupAndABinaryPayloadIsBase64() {
		operating.delayQueue.schedule(ScheduleRequest.to("keeps")
			.payload(Map.of("a", 1))
			.id("o-1")
			.group("g")
			.header("kept", "1")
			.delay(Duration.ZERO));
		operating.letDie("keeps");

		assertThat(edit("keeps", "{'id':'o-1','payload':'e30=','encoding':'base64'}").status()).isEqualTo(200);

		JsonNode message = message("keeps", "o-1");
		assertThat(message.get("payload").get("content").asString()).isEqualTo("{}");
		assertThat(message.get("headers").toString()).isEqualTo("{\"kept\":\"1\"}");
		assertThat(message.get("group").asString()).isEqualTo("g");
	}

	/** Posts JSON, in whose texts {@code `} stands for a quotation mark. */
	private static Answer edit(String queue, String json) {
		return operating.post(queue, "edit", json.replace("`", "\\'"));
	}

	private static JsonNode message(String queue, String id) {
		return operating.application.get("/actuator/delayqueue/" + queue + "/message?id=" + id).json();
	}

}
