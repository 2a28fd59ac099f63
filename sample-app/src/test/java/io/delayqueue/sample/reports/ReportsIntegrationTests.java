package io.delayqueue.sample.reports;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.sample.SampleInstances;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The Reports part of the HTTP interface, on two instances. */
class ReportsIntegrationTests {

	private static SampleInstances sample;

	private static ReportStats stats;

	private final String game = "game:" + UUID.randomUUID();

	@BeforeAll
	static void start() {
		sample = SampleInstances.start();
		stats = sample.bean(ReportStats.class);
	}

	@AfterAll
	static void stop() {
		sample.close();
	}

	@Test
	void reportsAreAcceptedAndHandled() {
		Answer one = sample.client().post("/reports", """
				{"game":"%s","behaviour":"jump","more":1}""".formatted(this.game));
		assertThat(one.status()).isEqualTo(202);
		assertThat(one.body().propertyNames()).containsExactlyInAnyOrder("accepted", "dropped");
		assertReceipt(one, 1, 0);
		assertReceipt(bulk(this.game, 300), 300, 0);
		assertReceipt(sample.client().post("/reports/bulk", "[]"), 0, 0);
		await().until(() -> count("reported") == 301);
		assertThat(game().propertyNames()).containsExactlyInAnyOrder("accepted", "reported", "batches", "dropped",
				"expired", "largestBatch");
		assertThat(count("accepted")).isEqualTo(301);
		assertThat(count("dropped")).isZero();
		assertThat(count("expired")).isZero();
		assertThat(count("largestBatch")).isBetween(1, 128);
		assertThat(count("batches")).isBetween(3, 301);
	}

	@Test
	void theNewestThousandReportsOfAGameAreKept() {
		DelayQueueAdmin admin = sample.bean(DelayQueueAdmin.class);
		admin.pause(Reports.QUEUE);
		assertReceipt(bulk(this.game, 700), 700, 0);
		assertReceipt(bulk(this.game, 700), 700, 400);
		assertReceipt(bulk(this.game + "2", 10), 10, 0);
		assertReceipt(sample.client().post("/reports", report(this.game)), 1, 1);
		assertThat(count("accepted")).isEqualTo(1401);
		assertThat(count("dropped")).isEqualTo(401);
		assertThat(count("reported")).isZero();
		admin.resume(Reports.QUEUE);
		await().until(() -> count("reported") == 1000);
		assertThat(count("largestBatch")).isBetween(2, 128);
		assertThat(count("batches")).isBetween(8, 999);
		await().until(() -> game(this.game + "2").path("reported").asInt() == 10);
	}

	@Test
	void reportsOfAGameWithDedicatedConsumersAreHandled() {
		bulk("hot", 200);
		await().until(() -> game("hot").path("reported").asInt() == 200);
		assertThat(game("hot").path("largestBatch").asInt()).isLessThanOrEqualTo(128);
	}

	@Test
	void expiredReportsAreNotHandled() {
		try (SampleInstances further = SampleInstances.start("delayqueue.queues.report.expiry.after=3s")) {
			DelayQueueAdmin admin = further.bean(DelayQueueAdmin.class);
			further.client().post("/reports", report(this.game));
			await().until(() -> count(further, "reported") == 1);
			admin.pause(Reports.QUEUE);
			long begin = System.nanoTime();
			further.client().post("/reports/bulk", reports(this.game, 50));
			await().until(() -> System.nanoTime() - begin > Duration.ofSeconds(3).toNanos());
			admin.resume(Reports.QUEUE);
			await().until(() -> count(further, "expired") == 50);
			assertThat(count(further, "reported")).isEqualTo(1);
			assertThat(count(further, "accepted")).isEqualTo(51);
		}
	}

	@Test
	void redeliveredReportsCountOnce() {
		stats.countTaken(this.game, new Receipt(0, 0));
		stats.countReported(this.game, List.of("1", "2", "3"));
		stats.countReported(this.game, List.of("1", "2", "3"));
		stats.countReported(this.game, List.of("1"));
		stats.countExpired(this.game, "2");
		assertThat(List.of(count("reported"), count("batches"), count("largestBatch"), count("expired")))
			.containsExactly(3, 1, 3, 0);
		stats.countReported(this.game, List.of("3", "4"));
		stats.countExpired(this.game, "5");
		stats.countExpired(this.game, "5");
		assertThat(List.of(count("reported"), count("batches"), count("largestBatch"), count("expired")))
			.containsExactly(4, 2, 3, 1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"behaviour\":\"x\"}", "{\"game\":\"a b\",\"behaviour\":\"x\"}", "{\"game\":\"g\"}",
			"{\"game\":\"g\",\"behaviour\":null}" })
	void rejectsInvalidReports(String report) {
		for (Answer answer : List.of(sample.client().post("/reports", report),
				sample.client().post("/reports/bulk", "[" + report(this.game) + "," + report + "]"))) {
			assertThat(answer.status()).isEqualTo(400);
			assertThat(answer.text("type")).endsWith(":invalid-request");
		}
		assertThat(game().isMissingNode()).isTrue();
	}

	@Test
	void rejectsInvalidAndTooLargeBulks() {
		assertThat(sample.client().post("/reports/bulk", report(this.game)).text("type")).endsWith(":malformed-body");
		assertThat(sample.client().post("/reports/bulk", "[null]").text("type")).endsWith(":invalid-request");
		assertThat(bulk(this.game, 10_001).text("type")).endsWith(":invalid-request");
	}

	private static Answer bulk(String game, int count) {
		return sample.client().post("/reports/bulk", reports(game, count));
	}

	static String reports(String game, int count) {
		return IntStream.range(0, count).mapToObj((i) -> report(game)).collect(Collectors.joining(",", "[", "]"));
	}

	private static String report(String game) {
		return "{\"game\":\"%s\",\"behaviour\":\"jump\"}".formatted(game);
	}

	private int count(String name) {
		return game().path(name).asInt();
	}

	private int count(SampleInstances instances, String name) {
		return instances.client().get("/reports/stats").body().path("games").path(this.game).path(name).asInt();
	}

	private JsonNode game() {
		return game(this.game);
	}

	private static JsonNode game(String game) {
		return sample.client().get("/reports/stats").body().path("games").path(game);
	}

	private static void assertReceipt(Answer answer, int accepted, int dropped) {
		assertThat(answer.status()).isEqualTo(202);
		assertThat(answer.body().get("accepted").asInt()).isEqualTo(accepted);
		assertThat(answer.body().get("dropped").asInt()).isEqualTo(dropped);
	}

}
