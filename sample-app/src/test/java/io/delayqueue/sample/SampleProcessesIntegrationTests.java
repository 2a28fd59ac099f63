package io.delayqueue.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The sample in separate processes, which run concurrently and are killed. */
@Tag("slow")
class SampleProcessesIntegrationTests {

	private static final Logger logger = LoggerFactory.getLogger(SampleProcessesIntegrationTests.class);

	private static final String DEBUG = "--logging.level.io.delayqueue.sample=debug";

	@TempDir
	private Path temporary;

	@AfterEach
	void endOwnRedis() throws IOException {
		killRedis();
	}

	@Test
	void ordersSurviveKillsAndAreCancelledWhenTheyAreDue() throws IOException {
		String home = "--sample.redis.dir=" + this.temporary.resolve("own redis");
		try (SampleProcess first = SampleProcess.start(log("first"), home)) {
			IntStream.range(0, 50)
				.forEach((i) -> assertThat(
						first.client().placeOrder("o" + i, "user" + i, Duration.ofMillis(2000 + i * 250L)).status())
					.isEqualTo(201));
			first.kill();
		}
		String port = Files.readString(this.temporary.resolve("own redis/port"));
		try (SampleProcess second = SampleProcess.start(log("second"), home)) {
			SampleClient client = second.client();
			assertThat(Files.readString(this.temporary.resolve("own redis/port"))).isEqualTo(port);
			await().until(() -> client.get("/orders?status=CANCELLED").body().get("total").asInt() == 50);
			for (int i = 0; i < 50; i++) {
				Answer order = client.get("/orders/o" + i);
				assertThat(order.text("closedBy")).isEqualTo("TIMEOUT");
				assertThat(order.instant("closedAt")).isAfterOrEqualTo(order.instant("dueAt"));
			}
			client.placeOrder("last", "user", Duration.ofMillis(100));
			second.kill();
			killRedis();
		}
		try (SampleProcess third = SampleProcess.start(log("third"), home)) {
			SampleClient client = third.client();
			assertThat(client.get("/orders?status=CANCELLED").body().get("total").asInt()).isGreaterThanOrEqualTo(50);
			await().until(() -> client.get("/orders/last").text("closedBy").equals("TIMEOUT"));
			third.stop();
		}
	}

	@Test
	void concurrentlyStartingInstancesShareOneRedis() {
		String home = "--sample.redis.dir=" + this.temporary.resolve("shared");
		try (SampleProcess one = SampleProcess.launch(log("one"), home);
				SampleProcess two = SampleProcess.launch(log("two"), home)) {
			one.awaitStart();
			two.awaitStart();
			assertThat(one.client().placeOrder("o", "user", Duration.ofMinutes(1)).status()).isEqualTo(201);
			assertThat(two.client().get("/orders/o").text("status")).isEqualTo("UNPAID");
			assertThat(one.count("Started a Redis server") + two.count("Started a Redis server")).isEqualTo(1);
			one.stop();
			assertThat(two.client().get("/orders/o").status()).isEqualTo(200);
		}
	}

	@Test
	void twoInstancesShareAThousandOrdersOfOneSecondAndHandleEachOnce() {
		try (RedisServer redis = RedisServer.builder().start();
				SampleProcess one = SampleProcess.launch(log("one"), DEBUG, "--spring.data.redis.url=" + redis.uri());
				SampleProcess two = SampleProcess.launch(log("two"), DEBUG, "--spring.data.redis.url=" + redis.uri())) {
			one.awaitStart();
			two.awaitStart();
			SampleClient client = one.client();
			Instant due = Instant.now().plusSeconds(15);
			IntStream.range(0, 1000).parallel().forEach((i) -> {
				Duration payWithin = Duration.between(Instant.now(), due.plusMillis(i));
				Duration notPast = payWithin.isNegative() ? Duration.ZERO : payWithin;
				assertThat(client.placeOrder("o" + i, "user" + i, notPast).status()).isEqualTo(201);
			});
			await()
				.until(() -> two.client().get("/orders?status=CANCELLED&limit=1").body().get("total").asInt() == 1000);
			String handled = "was not paid in time and is cancelled";
			await().until(() -> one.count(handled) + two.count(handled) >= 1000);
			assertThat(one.count(handled) + two.count(handled)).isEqualTo(1000);
			assertThat(one.count("was closed before") + two.count("was closed before")).isZero();
			assertThat(one.count(handled)).isPositive();
			assertThat(two.count(handled)).isPositive();
			logger.info("Of 1000 orders one instance cancelled {} and the other {}", one.count(handled),
					two.count(handled));
		}
	}

	@Test
	void everyReportIsCountedOnceIfAnInstanceIsKilled() {
		String patience = "--delayqueue.queues.report.visibility-timeout=3s";
		try (RedisServer redis = RedisServer.builder().start();
				SampleProcess one = SampleProcess.launch(log("one"), DEBUG, patience,
						"--spring.data.redis.url=" + redis.uri());
				SampleProcess two = SampleProcess.launch(log("two"), DEBUG, patience,
						"--spring.data.redis.url=" + redis.uri())) {
			one.awaitStart();
			two.awaitStart();
			SampleClient client = one.client();
			String bulk = IntStream.range(0, 50)
				.mapToObj((i) -> "{\"game\":\"%s\",\"behaviour\":\"jump\"}".formatted((i % 2 == 0) ? "hot" : "cold"))
				.collect(Collectors.joining(",", "[", "]"));
			int bulks = 0;
			boolean killed = false;
			while (!killed || bulks % 100 != 0) {
				assertThat(client.post("/reports/bulk", bulk).body().path("accepted").asInt()).isEqualTo(50);
				bulks++;
				if (!killed && bulks >= 50 && two.count("are reported") > 0) {
					two.kill();
					killed = true;
				}
			}
			int reports = bulks * 25;
			for (String game : List.of("hot", "cold")) {
				await().until(() -> {
					JsonNode stats = client.get("/reports/stats").body().get("games").get(game);
					return stats.get("reported").asInt() + stats.get("dropped").asInt() == reports;
				});
				JsonNode stats = client.get("/reports/stats").body().get("games").get(game);
				assertThat(stats.get("accepted").asInt()).isEqualTo(reports);
				assertThat(stats.get("expired").asInt()).isZero();
				assertThat(stats.get("largestBatch").asInt()).isLessThanOrEqualTo(128);
			}
		}
	}

	@Test
	void anUnusableDirectoryFailsTheStartAndNamesTheProperty() throws IOException {
		Path file = Files.createFile(this.temporary.resolve("file"));
		try (SampleProcess sample = SampleProcess.launch(log("one"), "--sample.redis.dir=" + file)) {
			assertThat(sample.awaitEnd()).isEqualTo(1);
			assertThat(sample.log()).contains("APPLICATION FAILED TO START", "sample.redis.dir", file.toString());
		}
	}

	private Path log(String name) {
		return this.temporary.resolve(name + ".log");
	}

	private void killRedis() throws IOException {
		try (var files = Files.walk(this.temporary)) {
			for (Path file : files.filter((file) -> file.endsWith("redis.pid")).toList()) {
				ProcessHandle.of(Long.parseLong(Files.readString(file).trim()))
					.ifPresent((process) -> process.destroyForcibly());
			}
		}
	}

}
