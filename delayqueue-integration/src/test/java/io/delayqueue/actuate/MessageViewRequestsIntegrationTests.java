package io.delayqueue.actuate;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

import io.delayqueue.actuate.fixture.ViewedMessages;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests for messages that are answered with a problem.
 */
@Tag("slow")
class MessageViewRequestsIntegrationTests extends ViewedMessages {

	@Test
	void aCursorOfAnotherReasonIsRejected() {
		try (RespClient redis = SharedRedis.get().client()) {
			schedule("orders", "x", HOUR);
			for (int i = 0; i < 10; i++) {
				redis.call("ZADD", application.prefix() + ":{orders:0}:dead", "1", "id-" + i);
			}
		}
		String next = get("orders/dead-letters?limit=2&reason=UNKNOWN").json().get("next").asString();
		assertThat(get("orders/dead-letters?limit=2&reason=UNKNOWN&from=" + next).status()).isEqualTo(200);
		assertProblem(get("orders/dead-letters?limit=2&from=" + next), "from");
		assertProblem(get("orders/dead-letters?limit=2&reason=CRASHED&from=" + next), "from");
		assertProblem(get("orders/messages?state=DEAD&from=" + next), "from");
		assertProblem(get("orders/messages?state=READY&from=" + next), "from");
	}

	@ParameterizedTest
	@CsvSource({ "missing/messages?state=DEAD, queue", "missing/message?id=a, queue", "missing/dead-letters, queue",
			"orders/message?id=missing, message", "orders/payload, view", "orders/0, view", "orders/MESSAGES, view",
			"orders/dead_letters, view", "missing/nothing, view" })
	void unknownQueuesMessagesAndViewsAreNotFound(String path, String what) {
		schedule("orders", "a", HOUR);
		assertUnknown(get(path), what);
	}

	@ParameterizedTest
	@CsvSource({ "'', limit=0, limit", "'', limit=1001, limit", "'', limit=-1, limit", "'', limit=ten, limit",
			"'', limit=1.0, limit", "'', limit=, limit", "'', limit=%2B5, limit", "'', limit=9999999999, limit",
			"'', limit=1&limit=2, limit", "'', from=, from", "'', from=%00, from", "'', from=a%0D%0Ab, from",
			"/orders/messages, '', state", "/orders/messages, state=, state", "/orders/messages, state=ASIDE, state",
			"/orders/messages, state=NOWHERE, state", "/orders/messages, state=DEAD&state=DEAD, state",
			"/orders/messages, state=READY%00, state", "/orders/messages, state=DEAD&limit=0, limit",
			"/orders/messages, state=DEAD&limit=1001, limit", "/orders/messages, state=DEAD&from=, from",
			"/orders/messages, state=DEAD&from=0-0, from", "/orders/messages, state=DEAD&from=AAAAAAAA, from",
			"/orders/messages, state=DEAD&reason=CRASHED, reason", "/orders/messages, state=DEAD&id=a, id",
			"/orders/messages, group=a&groupPrefix=a, groupPrefix", "/orders/messages, groupPrefix=, groupPrefix",
			"/orders/messages, group=a&state=WAITING, state", "/orders/messages, idPrefix=a, state",
			"/orders/messages, state=READY&idPrefix=a, idPrefix", "/orders/messages, state=READY&retries=true, retries",
			"/orders/messages, state=SCHEDULED&retries=yes, retries", "/orders/messages, group=a&retries=true, retries",
			"/orders/messages, state=SCHEDULED&idPrefix=a&retries=true, retries",
			"/orders/message, id=a&limit=5, limit", "/orders/history, state=DEAD, state",
			"/orders/recurring, group=a, group", "/orders/dead-letters, reason=HANDLER_FALED, reason",
			"/orders/dead-letters, limit=0, limit", "/orders/dead-letters, reason=, reason",
			"/orders/dead-letters, reason=crashed, reason", "/orders/dead-letters, reason=A%0AB, reason",
			"/orders/dead-letters, from=%3Cscript%3E, from", "/orders/message, '', id", "/orders/message, id=, id",
			"/orders/message, id=%00, id", "/orders/message, id=a%0Ab, id", "/orders/message, id=a&group=, group",
			"/orders/message, id=a&group=%7F, group" })
	void anInvalidParameterIsReportedWithItsRule(String path, String query, String parameter) {
		schedule("orders", "a", HOUR);
		assertProblem(application.get("/actuator/delayqueue" + path + "?" + query), parameter);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "''|queue=orders|the parameters of the view|from, limit, group",
			"/orders|limit=5|the view has no parameters|''", "/orders/messages|grup=zoe|state, group|from, limit",
			"/orders/message|ID=a|id, group|''", "/orders/dead-letters|Reason=CRASHED|reason, from, limit|''",
			"/orders/history|since=1h|from, limit|''", "/orders/recurring|key=a|from, limit|''" })
	void anUnknownParameterIsReportedWithThoseThatExist(String path, String query, String some, String more) {
		schedule("orders", "a", HOUR);
		Answer answer = application.get("/actuator/delayqueue" + path + "?" + query);

		assertThat(answer.status()).as(answer.body()).isEqualTo(400);
		assertThat(answer.json().get("type").asString()).isEqualTo("urn:delayqueue:unknown-parameter");
		assertThat(answer.json().get("detail").asString()).contains(some.replace("the parameters", "parameters"), more);
	}

	@Test
	void parametersOfALoginAreAccepted() {
		assertThat(application.get("/actuator/delayqueue?continue").status()).isEqualTo(200);
		assertThat(application.get("/actuator/delayqueue?access_token=a").status()).isEqualTo(200);
	}

	@Test
	void queuesWithSimilarNamesAreNamed() {
		schedule("orders", "a", HOUR);
		schedule("order-timeout", "a", HOUR);
		for (String path : new String[] { "ordres", "ordres/message?id=a" }) {
			Answer answer = get(path);
			assertThat(answer.status()).isEqualTo(404);
			assertThat(answer.json().get("similar").toString()).isEqualTo("[\"orders\"]");
			assertThat(answer.json().get("detail").asString()).isEqualTo("Did you mean orders?");
		}
		assertThat(get("order").json().get("similar").toString()).isEqualTo("[\"orders\",\"order-timeout\"]");
	}

	@Test
	void aTooLongIdIsRejected() {
		schedule("orders", "a", HOUR);
		schedule("orders", "é".repeat(200), HOUR);
		assertThat(get("orders/message?id=" + URLEncoder.encode("é".repeat(200), StandardCharsets.UTF_8)).status())
			.isEqualTo(200);
		assertProblem(get("orders/message?id=" + "a".repeat(201)), "id");
	}

	private static void assertProblem(Answer answer, String parameter) {
		assertThat(answer.status()).as(answer.body()).isEqualTo(400);
		assertThat(answer.contentType()).isEqualTo("application/problem+json");
		assertThat(answer.json().propertyNames()).containsExactly("type", "title", "status", "detail", "parameter");
		assertThat(answer.json().get("type").asString()).isEqualTo("urn:delayqueue:invalid-parameter");
		assertThat(answer.json().get("parameter").asString()).isEqualTo(parameter);
		assertThat(answer.json().get("detail").asString()).startsWith(parameter + " must be ");
	}

}
