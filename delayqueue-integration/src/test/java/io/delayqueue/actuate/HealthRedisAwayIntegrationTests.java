package io.delayqueue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Health and the endpoint while Redis is unavailable, and after it returns.
 */
@Tag("slow")
class HealthRedisAwayIntegrationTests {

	private final RedisServer redis = RedisServer.builder().start();

	private WebApplication application;

	@BeforeEach
	void fixPort() {
		this.redis.stop();
	}

	@AfterEach
	void stopAll() {
		this.application.close();
		this.redis.close();
	}

	@Test
	void anApplicationStartsWithoutRedisReportsItAndRecovers() {
		this.application = WebApplication.start(this.redis.uri());

		assertUnavailable("/actuator/delayqueue");
		assertUnavailable("/actuator/delayqueue/orders");
		assertUnavailable("/actuator/delayqueue/orders/messages?state=READY");
		assertUnavailable("/actuator/delayqueue/orders/message?id=a");
		assertUnavailable("/actuator/delayqueue/orders/dead-letters");
		Answer health = health();
		assertThat(health.status()).isEqualTo(503);
		assertThat(health.json().get("status").asString()).isEqualTo("DOWN");
		assertThat(health.json().get("details").get("redis").asString())
			.startsWith("has not answered since the start: ");
		this.redis.start();
		await().until(() -> this.application.get("/actuator/delayqueue").status() == 200);
		assertThat(health().status()).isEqualTo(200);
		assertThat(this.application.get("/actuator/delayqueue/orders").status()).isEqualTo(404);
	}

	@Test
	void aConsumingApplicationReportsAMissingRedisAtOnce() {
		this.application = WebApplication.start(this.redis.uri());
		this.application.consume("orders", 1, (delivery) -> null);

		assertThat(health().json().get("details").get("redis").asString())
			.startsWith("has not answered since the start: ");
		this.redis.start();
		await().until(() -> health().status() == 200);
		this.application.bean(DelayQueueOperations.class).schedule("orders", "p", Duration.ZERO);
		await().until(() -> this.application.get("/actuator/delayqueue/orders").json().get("consumers").asInt() == 1);
	}

	@Test
	void onlyOutagesLongerThanTheToleranceAreReported() {
		this.redis.start();
		this.application = WebApplication.start(this.redis.uri());
		this.application.consume("orders", 1, (delivery) -> null);
		await().until(() -> health().status() == 200);

		this.redis.kill();
		assertUnavailable("/actuator/delayqueue");
		this.redis.start();
		await().until(() -> this.application.get("/actuator/delayqueue").status() == 200);
		await().until(() -> health().status() == 200);

		long left = System.nanoTime();
		this.redis.kill();
		await().until(() -> health().status() == 503);
		assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - left)).isGreaterThanOrEqualTo(10);
		assertThat(health().json().get("details").get("redis").asString())
			.matches("has not answered for \\d\\d+ s: .*");
		this.redis.start();
		await().until(() -> health().status() == 200);
	}

	@Test
	void theFirstOutageIsToleratedAlsoIfHealthWasNotCheckedBefore() {
		this.redis.start();
		this.application = WebApplication.start(this.redis.uri());
		List<String> handled = new CopyOnWriteArrayList<>();
		this.application.consume("orders", 1, (delivery) -> {
			handled.add(delivery.id());
			return null;
		});
		this.application.bean(DelayQueueOperations.class).schedule("orders", "p", Duration.ZERO);
		await().until(() -> !handled.isEmpty());

		this.redis.kill();
		assertThat(health().status()).isEqualTo(200);
		await().until(() -> health().status() == 503);
		assertThat(health().json().get("details").get("redis").asString())
			.matches("has not answered for \\d\\d+ s: .*");
	}

	@Test
	void aHangingRedisDoesNotBlockForLong() {
		this.redis.start();
		this.application = WebApplication.start(this.redis.uri());
		assertThat(health().status()).isEqualTo(200);
		try (CommandLog log = CommandLog.of(this.redis)) {
			this.redis.freeze();
			List<String> paths = List.of("", "/orders", "/orders/messages?state=DEAD", "/orders/message?id=a");
			paths.forEach((path) -> assertUnavailable("/actuator/delayqueue" + path));
			this.redis.resume();
			// Redis now reads the commands that were sent meanwhile; each caller waited
			// for its reply
			assertThat(log.commands().stream().filter((command) -> !command.name().equals("PING")))
				.hasSizeLessThanOrEqualTo(paths.size());
		}
		await().until(() -> this.application.get("/actuator/delayqueue").status() == 200);
	}

	@Test
	void aRefusedCommandIsNotReportedAsAnOutage() {
		this.redis.start();
		this.application = WebApplication.start(this.redis.uri());
		this.redis.call("SET", this.application.prefix() + ":queues", "of another program");
		Answer answer = this.application.get("/actuator/delayqueue");

		assertThat(answer.status()).isEqualTo(503);
		assertThat(answer.json().get("type").asString()).isEqualTo("urn:delayqueue:redis-refused");
	}

	@ParameterizedTest
	@CsvSource({ "scheduled, messages?state=SCHEDULED", "scheduled, message?id=a", "dead, dead-letters",
			"failures, dead-letters?reason=CRASHED", "ready, messages?state=PENDING", "entries, messages?state=READY" })
	void aForeignKeyIsReportedAsAServerError(String key, String view) {
		this.redis.start();
		this.application = WebApplication.start(this.redis.uri());
		this.application.bean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to("orders").payload("p").id("a").delay(Duration.ofHours(1)));
		String name = this.application.prefix() + ":{orders:0}:" + key;
		this.redis.call("DEL", name);
		this.redis.call("SET", name, "of another program");
		if (key.equals("failures")) {
			this.redis.call("ZADD", this.application.prefix() + ":{orders:0}:dead", "1", "a");
		}
		Answer answer = this.application.get("/actuator/delayqueue/orders/" + view);

		assertThat(answer.status()).isEqualTo(503);
		assertThat(answer.json().get("type").asString()).isEqualTo("urn:delayqueue:redis-refused");
		assertThat(answer.body()).doesNotContain(name);
	}

	@Test
	void aForeignKeyIsReportedWithItsQueueAndTheFix() {
		this.redis.start();
		this.application = WebApplication.start(this.redis.uri());
		String key = this.application.prefix() + ":{orders:0}:scheduled";
		this.redis.call("SET", key, "of another program");
		this.application.consume("orders", 1, (delivery) -> null);
		await().until(() -> health().status() == 503);
		assertThat(health().json().get("details").get("failing").toString()).contains("orders:0", "goes on trying", key,
				"holds a string but must be a zset", "move it away");
		this.redis.call("DEL", key);
		await().until(() -> health().status() == 200);
	}

	private Answer health() {
		return this.application.get("/actuator/health/delayqueue");
	}

	private void assertUnavailable(String path) {
		Answer answer = this.application.get(path);
		assertThat(answer.status()).isEqualTo(503);
		assertThat(answer.contentType()).isEqualTo("application/problem+json");
		assertThat(answer.json().propertyNames()).containsExactly("type", "title", "status");
		assertThat(answer.json().get("type").asString()).isEqualTo("urn:delayqueue:redis-unavailable");
		assertThat(answer.json().get("status").asInt()).isEqualTo(503);
	}

}
