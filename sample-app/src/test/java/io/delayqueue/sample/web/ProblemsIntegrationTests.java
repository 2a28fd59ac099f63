package io.delayqueue.sample.web;

import java.util.stream.Stream;

import io.delayqueue.sample.SampleClient;
import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.test.redis.TestRedis;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@Import(TestRedis.class)
class ProblemsIntegrationTests {

	@LocalServerPort
	private int port;

	private SampleClient client;

	@BeforeEach
	void connect() {
		this.client = new SampleClient(this.port);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{", "[]", "null", "{\"id\":{}}", "{\"id\":\"a\",\"userId\":\"b\"} {}" })
	void aBodyThatIsNotAnOrderIsMalformed(String body) {
		assertProblem(this.client.post("/orders", body), 400, "malformed-body");
	}

	@ParameterizedTest
	@MethodSource("brokenNames")
	void invalidIdsAndUsersAreRejected(String name) {
		assertProblem(this.client.post("/orders", "{\"id\":" + name + ",\"userId\":\"u\"}"), 400, "invalid-request");
		assertProblem(this.client.post("/orders", "{\"id\":\"i\",\"userId\":" + name + "}"), 400, "invalid-request");
	}

	static Stream<String> brokenNames() {
		return Stream.of("null", "\"\"", "\"a b\"", "\"a/b\"", "\"\u00e4\"", "\"a\\n\"", "\"" + "a".repeat(201) + "\"");
	}

	@Test
	void idsInPathsObeyTheSameRule() {
		assertProblem(this.client.get("/orders/a%20b"), 400, "invalid-request");
		assertProblem(this.client.post("/orders/" + "a".repeat(201) + "/pay"), 400, "invalid-request");
		assertProblem(this.client.post("/orders/a%24/cancel"), 400, "invalid-request");
	}

	@Test
	void theLongestNamesOfAllAllowedCharactersAreAccepted() {
		String name = "Az09._:-".repeat(25);
		assertThat(this.client.post("/orders", "{\"id\":\"" + name + "\",\"userId\":\"" + name + "\"}").status())
			.isEqualTo(201);
		assertThat(this.client.get("/orders/" + name).text("id")).isEqualTo(name);
		assertThat(this.client.post("/orders/" + name + "/pay").status()).isEqualTo(200);
	}

	@Test
	void errorsOfSpringMvcAreProblemsWithTheirOwnTypes() {
		assertProblem(this.client.post("/orders", "id=1", "text/plain"), 415, "unsupported-media-type");
		assertProblem(this.client.delete("/orders"), 405, "method-not-allowed");
		assertProblem(this.client.get("/nothing-here"), 404, "unknown-resource");
	}

	private static void assertProblem(Answer answer, int status, String type) {
		assertThat(answer.status()).isEqualTo(status);
		assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(answer.text("type")).isEqualTo("urn:delayqueue-sample:" + type);
		assertThat(answer.body().get("status").asInt()).isEqualTo(status);
		assertThat(answer.text("title")).isNotBlank();
	}

}
