package io.delayqueue.actuate;

import java.time.Duration;

import io.delayqueue.actuate.fixture.HealthOverHttp;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.lifecycle.RedisGate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Health over HTTP while Redis is unavailable.
 */
@Tag("slow")
class HealthOutageIntegrationTests extends HealthOverHttp {

	@Test
	void aKilledRedisIsReportedAfterTheTolerance() {
		schedule(1, Duration.ofHours(1));
		long killed = System.nanoTime();
		this.redis.kill();
		assertThat(health().status()).as("within the tolerance").isEqualTo(200);
		assertThat(queue("orders").get("listener").asString()).isEqualTo("running");

		awaitStatus(503);
		assertThat(Duration.ofNanos(System.nanoTime() - killed)).isGreaterThanOrEqualTo(TOLERATED);
		assertThat(health().json().get("status").asString()).isEqualTo("DOWN");
		assertThat(details().get("redis").asString()).matches("has not answered for \\d+ s: .*spring.data.redis.*");
		assertThat(this.application.get("/actuator/health").status()).isEqualTo(503);

		this.redis.start();
		awaitStatus(200);
		assertThat(details().propertyNames()).containsExactly("queues", "eviction");
		this.application.bean(Listening.class).permits.release(1);
		schedule(1, Duration.ZERO);
		await().until(() -> queue("orders").get("scheduled").asLong() == 1);
	}

	@Test
	void aKilledRedisIsReportedWithoutListeners() {
		try (WebApplication producer = WebApplication.start(this.redis.uri(), Silent.class,
				"delayqueue.health.tolerated-outage=1s")) {
			await().until(() -> producer.get(HEALTH).status() == 200);

			this.redis.kill();

			await().until(() -> producer.get(HEALTH).status() == 503);
			this.redis.start();
			await().until(() -> producer.get(HEALTH).status() == 200);
		}
	}

	@Test
	void aShortOutageIsNotReported() {
		for (int i = 0; i < 3; i++) {
			this.redis.kill();
			assertThat(health().status()).isEqualTo(200);
			this.redis.start();
			await().until(() -> {
				assertThat(health().status()).isEqualTo(200);
				return this.application.bean(DelayQueueEngine.class).gate().isOpen();
			});
			await().until(() -> queue("orders").has("scheduled"));
		}
	}

	@Test
	void messagesThatBecameDueWhileRedisWasAwayAreNotLateWhenItComesBack() {
		this.application.close();
		Duration maxOverdue = Duration.ofSeconds(5);
		startApplication(maxOverdue);
		RedisGate gate = this.application.bean(DelayQueueEngine.class).gate();
		schedule(6, Duration.ofSeconds(1));
		this.redis.kill();
		await().until(() -> gate.closedFor().compareTo(maxOverdue.plusSeconds(2)) > 0);
		assertThat(health().status()).isEqualTo(503);
		this.redis.start();
		await().until(gate::isOpen);
		await().until(() -> {
			assertThat(details().has("late")).as("late before a good answer").isFalse();
			return health().status() == 200;
		});
		await().until(() -> queue("orders").has("oldestOverdueMillis"));
		assertThat(queue("orders").get("oldestOverdueMillis").asLong()).isGreaterThan(maxOverdue.toMillis());

		awaitStatus(503);
		assertThat(details().propertyNames()).contains("late");
	}

	@Test
	void aHangingRedisDoesNotBlockHealth() {
		this.redis.freeze();
		for (int i = 0; i < 3; i++) {
			assertThat(health().json().has("status")).isTrue();
		}
		awaitStatus(503);
		this.redis.resume();
		awaitStatus(200);
	}

	@Configuration(proxyBeanMethods = false)
	static class Silent {

	}

}
