package io.delayqueue.sample.documents;

import java.nio.file.Path;
import java.time.Duration;

import io.delayqueue.sample.SampleClient;
import io.delayqueue.sample.SampleClient.Answer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The sample that docs/operations.md starts, and the states that its commands are written
 * for.
 */
abstract class OperatedSample {

	private static final Document DOCUMENT = Document.read("docs/operations.md");

	static final String ORDERS = "/actuator/delayqueue/order-timeout";

	static final String CALLBACKS = "/actuator/delayqueue/callback";

	/** Limits the consumers, so that the reports of a game form a backlog. */
	private static final String ONE_REPORT_AT_ONCE = "--delayqueue.queues.report.groups.overrides.chess.concurrency=1";

	@TempDir
	private static Path home;

	static Terminal terminal;

	@BeforeAll
	static void startSampleAsDocumented() {
		terminal = new Terminal(DOCUMENT, home);
		startSample();
		assertThat(client().placeOrder("o-1", "ann", Duration.ofHours(1)).status()).isEqualTo(201);
	}

	static void startSample() {
		String[] arguments = terminal.arguments(shell("Operations", 0));
		assertThat(arguments).containsExactly("--management.endpoint.delayqueue.access=unrestricted");
		terminal.startSample(arguments[0], ONE_REPORT_AT_ONCE);
	}

	@AfterAll
	static void stopSampleAndRedis() {
		terminal.close();
	}

	static Commands shell(String section, int number) {
		return DOCUMENT.shell(section, number);
	}

	static SampleClient client() {
		return terminal.sample().client();
	}

	static JsonNode message(String queue, String id) {
		return client().get(queue + "/message?id=" + id).body();
	}

	static void assertDone(Answer answer) {
		assertThat(answer.status()).as(answer.body().toString()).isEqualTo(200);
	}

	/** Creates a callback that is dead-lettered. */
	static void deadCallback() {
		client().post(CALLBACKS + "/cancel", "{\"id\":\"c1\"}");
		callback("PT0.01S");
		awaitDead();
	}

	static void callback(String unit) {
		Answer answer = client().post("/callbacks",
				"{\"id\":\"c1\",\"url\":\"http://localhost:9/\",\"unit\":\"" + unit + "\"}");
		assertThat(answer.status()).as(answer.body().toString()).isEqualTo(202);
	}

	static void awaitDead() {
		await().until(() -> message(CALLBACKS, "c1").path("state").asString("").equals("DEAD"));
	}

	static ConfigurableApplicationContext producer() {
		return new SpringApplicationBuilder(Producer.class).web(WebApplicationType.NONE)
			.run("--spring.main.banner-mode=off", "--spring.data.redis.url=redis://127.0.0.1:" + terminal.redisPort());
	}

	/** An application that misspells the name of a queue. */
	@EnableAutoConfiguration
	static class Producer {

	}

}
