package io.delayqueue.sample.callbacks;

import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.sample.SampleInstances;
import io.delayqueue.sample.callbacks.PartnerServer.Call;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The Callbacks part of the HTTP interface, on two instances. */
class CallbacksIntegrationTests {

	private static SampleInstances sample;

	private static PartnerServer partners;

	private final String id = "c:" + UUID.randomUUID();

	@BeforeAll
	static void start() {
		sample = SampleInstances.start();
		partners = new PartnerServer();
	}

	@AfterAll
	static void stop() {
		partners.close();
		sample.close();
	}

	@Test
	void aPartnerThatNeverAnswersIsCalledTenTimesAtGrowingGapsAndAgainAfterARedrive() {
		Answer started = start(partners.answering(this.id, 500), "PT0.02S");
		assertThat(started.status()).isEqualTo(202);
		assertThat(started.header("Location")).endsWith("/callbacks/" + this.id);
		assertThat(started.body().propertyNames()).containsExactlyInAnyOrder("id", "status", "attempts", "nextAt",
				"lastAnswer");
		assertThat(started.text("status")).isEqualTo("WAITING");
		assertThat(started.body().get("attempts").asInt()).isZero();
		awaitStatus("ABNORMAL");
		assertTenCalls(partners.calls(this.id), partners.gaps(this.id));
		Answer abnormal = find();
		assertThat(abnormal.body().get("attempts").asInt()).isEqualTo(10);
		assertThat(abnormal.body().get("nextAt").isNull()).isTrue();
		assertThat(abnormal.text("lastAnswer")).isEqualTo("500");
		assertDuplicate(start("http://localhost/", "PT1M"));

		partners.calls(this.id).clear();
		assertThat(redrive().status()).isEqualTo(202);
		await().until(() -> partners.calls(this.id).size() == 10);
		awaitStatus("ABNORMAL");
		assertTenCalls(partners.calls(this.id), partners.gaps(this.id));

		partners.answering(this.id, 200);
		assertThat(redrive().status()).isEqualTo(202);
		awaitStatus("DELIVERED");
		assertThat(find().body().get("attempts").asInt()).isEqualTo(1);
	}

	@Test
	void aPartnerThatAnswersIsCalledOnce() {
		start(partners.answering(this.id, 204), "PT0.01S");
		awaitStatus("DELIVERED");
		Answer delivered = find();
		assertThat(delivered.body().get("attempts").asInt()).isEqualTo(1);
		assertThat(delivered.body().get("nextAt").isNull()).isTrue();
		assertThat(delivered.text("lastAnswer")).isEqualTo("204");
		assertDuplicate(start(partners.answering(this.id, 204), "PT0.01S"));
		// also when the queue has removed it
		assertThat(sample.redis().call("DEL", "dq:{callback:0}:done")).isEqualTo(1L);
		assertDuplicate(start(partners.answering(this.id, 204), "PT0.01S"));
		Answer redriven = redrive();
		assertThat(redriven.status()).isEqualTo(409);
		assertThat(redriven.text("type")).endsWith(":callback-not-abnormal");
		Call call = partners.calls(this.id).get(0);
		assertThat(partners.calls(this.id)).hasSize(1);
		assertThat(call.method()).isEqualTo("POST");
		assertThat(call.contentType()).startsWith("application/json");
		assertThat(call.body().propertyNames()).containsExactlyInAnyOrder("id", "attempt");
		assertThat(call.body().get("id").asString()).isEqualTo(this.id);
	}

	@Test
	void aWaitingCallbackShowsItsAttemptsAndNextCallAndItsIdIsTaken() {
		Instant before = Instant.now();
		start(partners.answering(this.id, 503), "PT1H");
		awaitFirstCall();
		Answer waiting = find();
		assertThat(waiting.text("status")).isEqualTo("WAITING");
		assertThat(waiting.text("lastAnswer")).isEqualTo("503");
		assertThat(waiting.instant("nextAt")).isBetween(before.plusSeconds(3600), Instant.now().plusSeconds(3600));
		assertDuplicate(start("http://localhost/", "PT1M"));
		Answer redriven = redrive();
		assertThat(redriven.status()).isEqualTo(409);
		assertThat(redriven.text("detail")).contains("WAITING");
	}

	@Test
	void theWaitsAreOddNumbersOfUnits() {
		assertThat(Callbacks.waits(Duration.ofMinutes(1)).delays()).extracting(Duration::toMinutes)
			.containsExactly(1L, 3L, 5L, 7L, 9L, 11L, 13L, 15L, 17L);
	}

	@Test
	void theDefaultUnitIsAMinute() {
		Instant before = Instant.now();
		sample.client().post("/callbacks", """
				{"id":"%s","url":"%s","more":true}""".formatted(this.id, partners.answering(this.id, 400)));
		awaitFirstCall();
		assertThat(find().instant("nextAt")).isBetween(before.plusSeconds(60), Instant.now().plusSeconds(60));
	}

	@Test
	void aRetryAfterResponseDefersTheCallWithoutAFailure() {
		start(partners.behaving(this.id, (number, exchange) -> {
			switch (number) {
				case 1 -> PartnerServer.later(exchange, 429, "1");
				case 2 -> PartnerServer.later(exchange, 425, DateTimeFormatter.RFC_1123_DATE_TIME
					.format(Instant.now().plusSeconds(2).atZone(ZoneOffset.UTC)));
				// a failure: this status does not permit a retry time
				case 3 -> PartnerServer.later(exchange, 503, "0");
				default -> exchange.sendResponseHeaders(200, -1);
			}
		}), "PT0.01S");
		awaitStatus("DELIVERED");
		assertThat(partners.calls(this.id)).extracting(Call::attempt).containsExactly(1, 1, 1, 2);
		List<Duration> gaps = partners.gaps(this.id);
		assertThat(gaps.get(0)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
		assertThat(gaps.get(1)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
		assertThat(gaps.get(2)).isGreaterThanOrEqualTo(Duration.ofMillis(10));
		assertThat(find().body().get("attempts").asInt()).isEqualTo(2);
	}

	@Test
	void aPartnerWithTooManyRequestsIsNotCalledByOtherCallbacksEither() {
		String busy = partners.deferring(this.id, 429, "3");
		start(busy, "PT0.01S");
		await().until(() -> "429".equals(find().body().path("lastAnswer").asString("")));
		sample.client().post("/callbacks", body(this.id + "-too", busy, "PT0.01S"));
		String elsewhere = this.id + "-elsewhere";
		sample.client().post("/callbacks", body(elsewhere, partners.answering(elsewhere, 200), "PT0.01S"));
		long calledElsewhere = partners.awaitCalls(elsewhere, 1).get(0).nanos();

		List<Call> calls = partners.awaitCalls(this.id, 3);

		assertThat(calls).extracting((call) -> call.body().get("id").asString())
			.containsExactlyInAnyOrder(this.id, this.id, this.id + "-too");
		assertThat(partners.gaps(this.id).get(0)).isGreaterThanOrEqualTo(Duration.ofSeconds(3));
		assertThat(calledElsewhere).isLessThan(calls.get(1).nanos());
		awaitStatus("DELIVERED");
		assertThat(find().body().get("attempts").asInt()).as("a hold is no failure").isEqualTo(1);
	}

	@Test
	void anUnreadableRetryAfterResponseIsAFailure() {
		start(partners.deferring(this.id, 429, "soon", "-5"), "PT0.01S");
		awaitStatus("DELIVERED");
		assertThat(partners.calls(this.id)).extracting(Call::attempt).containsExactly(1, 2, 3);
	}

	@Test
	void redirectsOfAPartnerAreNotFollowed() {
		String elsewhere = partners.answering(this.id + "-elsewhere", 200);
		start(partners.behaving(this.id, (number, exchange) -> {
			exchange.getResponseHeaders().set("Location", elsewhere);
			exchange.sendResponseHeaders(307, -1);
		}), "PT1H");
		awaitFirstCall();
		assertThat(find().text("lastAnswer")).isEqualTo("307");
		assertThat(partners.calls(this.id + "-elsewhere")).isEmpty();
	}

	@Test
	void anUnreachablePartnerCountsAsNoAnswer() throws Exception {
		int port;
		try (ServerSocket socket = new ServerSocket(0)) {
			port = socket.getLocalPort();
		}
		start("http://127.0.0.1:" + port, "PT1H");
		awaitFirstCall();
		assertThat(find().text("lastAnswer")).isEqualTo("no answer: ConnectException");
	}

	@Tag("slow")
	@Test
	void theTimeoutOfACallIsFiveSeconds() {
		CountDownLatch end = new CountDownLatch(1);
		try {
			start(partners.behaving(this.id, (number, exchange) -> await().until(() -> end.getCount() == 0)), "PT1H");
			Call call = partners.awaitCalls(this.id, 1).get(0);
			awaitFirstCall();
			assertThat(Duration.ofNanos(System.nanoTime() - call.nanos()))
				.isGreaterThanOrEqualTo(Duration.ofMillis(4900));
			assertThat(find().text("lastAnswer")).isEqualTo("no answer: HttpTimeoutException");
		}
		finally {
			end.countDown();
		}
	}

	@Test
	void aCallbackContinuesOnAnotherInstance() {
		try (SampleInstances further = SampleInstances.start()) {
			further.client(0)
				.post("/callbacks", body(this.id, partners.answering(this.id, 500, 500, 500, 200), "PT0.1S"));
			partners.awaitCalls(this.id, 1);
			further.stop(0);
			await().until(() -> further.client(1).get("/callbacks/" + this.id).text("status").equals("DELIVERED"));
			assertThat(partners.calls(this.id)).extracting(Call::attempt).containsExactly(1, 2, 3, 4);
			assertThat(partners.gaps(this.id).get(2)).isGreaterThanOrEqualTo(Duration.ofMillis(500));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "ftp://host/", "file:///etc/passwd", "http:", "http:///path", "//host/path", "host", "",
			"http://a b/", "http://host:99999/", "mailto:a@b", "javascript:alert(1)" })
	void rejectsAddressesThatAreNotHttp(String url) {
		assertInvalid(start(url, "PT1M"), "url");
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "-PT1S", "P201D", "1m", "", "PT9223372036854775807S" })
	void rejectsInvalidUnits(String unit) {
		assertInvalid(start("http://localhost/", unit), "unit");
	}

	@Test
	void rejectsMissingFields() {
		assertInvalid(sample.client().post("/callbacks", "{\"url\":\"http://localhost/\"}"), "id");
		assertInvalid(sample.client().post("/callbacks", "{\"id\":\"a b\",\"url\":\"http://localhost/\"}"), "id");
		assertInvalid(sample.client().post("/callbacks", "{\"id\":\"" + this.id + "\"}"), "url");
		assertInvalid(sample.client().get("/callbacks/a%20b"), "id");
	}

	@Test
	void unknownCallbacksAreNotFound() {
		for (Answer answer : List.of(find(), redrive())) {
			assertThat(answer.status()).isEqualTo(404);
			assertThat(answer.text("type")).endsWith(":unknown-callback");
		}
	}

	private Answer start(String url, String unit) {
		return sample.client().post("/callbacks", body(this.id, url, unit));
	}

	private static String body(String id, String url, String unit) {
		return "{\"id\":\"%s\",\"url\":\"%s\",\"unit\":\"%s\"}".formatted(id, url, unit);
	}

	private Answer find() {
		return sample.client().get("/callbacks/" + this.id);
	}

	private Answer redrive() {
		return sample.client().post("/callbacks/" + this.id + "/redrive");
	}

	private void awaitStatus(String status) {
		await().until(() -> find().text("status").equals(status));
	}

	/** Waits until the response to the first call is stored. */
	private void awaitFirstCall() {
		await().until(() -> find().body().path("attempts").asInt() == 1);
	}

	private static void assertTenCalls(List<Call> calls, List<Duration> gaps) {
		assertThat(calls).extracting(Call::attempt).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
		for (int i = 0; i < 9; i++) {
			assertThat(gaps.get(i)).as("gap %s", i + 1).isGreaterThanOrEqualTo(Duration.ofMillis((2 * i + 1) * 20L));
		}
	}

	private static void assertDuplicate(Answer answer) {
		assertThat(answer.status()).isEqualTo(409);
		assertThat(answer.text("type")).endsWith(":duplicate-callback");
	}

	private static void assertInvalid(Answer answer, String field) {
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.text("type")).endsWith(":invalid-request");
		assertThat(answer.text("field")).isEqualTo(field);
	}

}
