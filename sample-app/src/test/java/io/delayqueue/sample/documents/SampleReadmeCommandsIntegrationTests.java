package io.delayqueue.sample.documents;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import io.delayqueue.sample.SampleClient;
import io.delayqueue.sample.SampleProcess;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Runs every command of the sample's README unchanged, in the order of the document. */
@Tag("slow")
@TestMethodOrder(OrderAnnotation.class)
class SampleReadmeCommandsIntegrationTests {

	private static final Document DOCUMENT = Document.read("sample-app/README.md");

	/**
	 * Needs Docker. OwnRedisAutoConfigurationTests checks that a configured Redis is used
	 * instead of a server that the sample starts.
	 */
	private static final Set<String> NOT_RUN_HERE = Set
		.of("mvn -q -Dmaven.test.skip -pl sample-app -am spring-boot:run -Dspring-boot.run.arguments=--spring.docker.compose.enabled=true");

	private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d+)");

	@TempDir
	private static Path home;

	private static Terminal terminal;

	@BeforeAll
	static void startSampleAsDocumented() {
		terminal = new Terminal(DOCUMENT, home);
		assertThat(terminal.arguments(shell("Run it", 0))).isEmpty();
		// enables the write access that the README offers, to skip the waits of callbacks
		terminal.startSample("--management.endpoint.delayqueue.access=unrestricted");
		terminal.remember(shell("Run it", 1));
	}

	@AfterAll
	static void stopSampleAndRedis() {
		terminal.close();
	}

	@Test
	@Order(1)
	void orders() {
		Commands orders = shell("Orders", 0);
		String placed = terminal.run(orders.paragraph(0));
		assertThat(statuses(placed)).containsExactly(201, 201, 200);
		assertThat(placed).endsWith("\"closedBy\":\"PAYMENT\"}");

		Commands refused = orders.paragraph(2);
		String four = terminal.refused(refused.command(0));
		assertThat(statuses(four)).containsExactly(201, 201, 201, 409);
		assertThat(four).contains("quota-exceeded");
		String again = terminal.refused(refused.command(1));
		assertThat(statuses(again)).containsExactly(409);
		assertThat(again).contains("duplicate-order");
	}

	@Test
	@Order(2)
	void callbacks() {
		Commands callbacks = shell("Callbacks", 0);
		assertThat(terminal.run(callbacks.paragraph(0))).contains("HTTP/1.1 202", "\"status\":\"WAITING\"");

		// skips the waits of 81 seconds in total
		await().until(() -> {
			client().post("/actuator/delayqueue/callback/reschedule", "{\"id\":\"c1\",\"now\":true}");
			return client().get("/callbacks/c1").text("status").equals("ABNORMAL");
		});
		assertThat(client().get("/callbacks/c1").body().path("attempts").asInt()).isEqualTo(10);
		assertThat(terminal.run(callbacks.paragraph(1))).contains("HTTP/1.1 202", "\"status\":\"WAITING\"");
	}

	@Test
	@Order(3)
	void pushes() {
		String printed = terminal.run(shell("Pushes", 0));
		assertThat(statuses(printed)).containsExactly(201, 201, 204);
		assertThat(printed.lines().reduce("", (all, last) -> last)).contains("a ball is coming back");
		assertThat(client().get("/pushes/p2").status()).isEqualTo(404);
	}

	@Test
	@Order(4)
	void reports() {
		String printed = terminal.run(shell("Reports", 0));
		assertThat(statuses(printed)).containsExactly(202, 202);
		assertThat(printed).contains("\"chess\":{\"accepted\":1,");
		await().until(() -> {
			JsonNode hot = client().get("/reports/stats").body().path("games").path("hot");
			return hot.path("reported").asInt() + hot.path("dropped").asInt() == 3000
					&& hot.path("largestBatch").asInt() <= 128;
		});
	}

	@Test
	@Order(5)
	void timeline() {
		Commands timeline = shell("Timeline", 0);
		assertThat(statuses(terminal.run(timeline.command(0)))).containsExactly(201, 201, 201);
		await().until(() -> client().get("/timeline/ann").body().path("messages").size() == 3);
		assertThat(terminal.run(timeline.command(1)))
			.containsPattern("215857550229364736.*215857550229364737.*215857550229364739");
		assertThat(terminal.run(timeline.command(2))).contains("215857550229364737")
			.doesNotContain("215857550229364736", "215857550229364739");
		assertThat(statuses(terminal.refused(timeline.command(3)))).containsExactly(404);
	}

	@Test
	@Order(6)
	void whatItKnowsAboutItself() {
		assertThat(terminal.run(shell("Health and queues", 0))).contains("\"status\":\"UP\"", "\"name\":\"timeline\"");
	}

	@Test
	@Order(7)
	void unpaidOrdersAreCancelled() {
		await().until(() -> client().get("/orders/42").text("status").equals("CANCELLED"));
		assertThat(terminal.run(shell("Orders", 0).paragraph(1))).contains("\"closedBy\":\"TIMEOUT\"",
				"\"status\":\"PAID\"");
	}

	@Test
	@Order(8)
	void furtherInstancesUseTheSameRedisOrOneOfYours() {
		// another port: 8081 may be in use on this machine
		assertThat(terminal.arguments(shell("Health and queues", 1))).containsExactly("--server.port=8081");
		try (RedisServer redis = RedisServer.builder().start();
				RespClient client = redis.client();
				SampleProcess second = terminal.launchAnother();
				SampleProcess other = terminal.launchAnother(terminal
					.arguments(shell("The sample's Redis", 2).with("redis://localhost:6379", redis.uri())))) {
			second.awaitStart();
			assertThat(second.client().get("/orders/43").text("status")).isEqualTo("PAID");
			second.stop();
			other.awaitStart();
			assertThat(other.client().placeOrder("o", "ann", Duration.ofHours(1)).status()).isEqualTo(201);
			assertThat(client.call("EXISTS", "dq:{order-timeout:0}:scheduled")).isEqualTo(1L);
			other.stop();
		}
	}

	@Test
	@Order(9)
	void ordersAreKeptInADatabase() {
		String[] arguments = terminal.arguments(shell("Orders", 1).command(0));
		try (SampleProcess sample = terminal.launchAnother(arguments)) {
			sample.awaitStart();
			assertThat(sample.client().get("/orders/43").status()).isEqualTo(404);
			assertThat(sample.client().placeOrder("d1", "ann", Duration.ofHours(1)).status()).isEqualTo(201);
			sample.stop();
		}
		try (SampleProcess again = terminal.launchAnother(arguments)) {
			again.awaitStart();
			assertThat(again.client().get("/orders/d1").text("status")).isEqualTo("UNPAID");
			String answer = terminal
				.run(shell("Orders", 1).command(1).with("localhost:8080", "localhost:" + again.port()));
			assertThat(answer).contains("\"failed\":0");
			again.stop();
		}
	}

	@Test
	@Order(10)
	void redisSurvivesCtrlCAndIsRemovedOnRequest() {
		terminal.sample().stop();
		long redis = terminal.redisProcess();
		assertThat(ProcessHandle.of(redis)).isPresent();

		terminal.run(shell("The sample's Redis", 0));

		assertThat(Files.exists(terminal.redisDirectory())).isFalse();
		await().until(() -> ProcessHandle.of(redis).flatMap((process) -> process.info().commandLine()).isEmpty());
	}

	@Test
	@Order(11)
	void allCommandsWereRun() {
		terminal.assertAllCommandsWereRun(NOT_RUN_HERE);
	}

	private static Commands shell(String section, int number) {
		return DOCUMENT.shell(section, number);
	}

	private static List<Integer> statuses(String printed) {
		return STATUS.matcher(printed).results().map((answer) -> Integer.valueOf(answer.group(1))).toList();
	}

	private static SampleClient client() {
		return terminal.sample().client();
	}

}
