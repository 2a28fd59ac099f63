package io.delayqueue.actuate;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.DelayedListener;
import io.delayqueue.actuate.fixture.HealthOverHttp;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.observe.QueueStatistics;
import io.delayqueue.store.Snapshots;
import io.delayqueue.test.fault.CommandLog;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Health over HTTP while faults occur and are fixed.
 */
@Tag("slow")
class HealthWalkIntegrationTests extends HealthOverHttp {

	@Test
	void healthIsUpWithoutFaults() {
		Answer answer = health();

		assertThat(answer.json().get("status").asString()).isEqualTo("UP");
		assertThat(details().propertyNames()).containsExactly("queues", "eviction");
		assertThat(details().get("eviction").asString()).isEqualTo("noeviction");
		assertThat(details().get("queues").propertyNames()).containsExactly("orders", "parted");
		await().untilAsserted(() -> assertThat(queue("orders").propertyNames()).containsExactly("listener", "members",
				"scheduled", "overdue", "ready", "pending", "dead", "oldestOverdueMillis"));
		assertThat(queue("orders").get("members").asInt()).isEqualTo(1);
		assertThat(queue("parted").get("members").asInt()).isZero();
		assertThat(queue("orders").get("listener").asString()).isEqualTo("running");
		assertThat(queue("parted").get("listener").asString()).as("it has no auto-startup").isEqualTo("stopped");
	}

	@Test
	void aQueueIsLateWhileItsHandlersHangAndNotWhileItsListenerIsPausedOrStopped() {
		DelayedListenerRegistry listeners = this.application.bean(DelayedListenerRegistry.class);
		schedule(6, Duration.ZERO);
		awaitStatus(503);
		assertThat(details().get("late").propertyNames()).containsExactly("orders");
		assertThat(details().get("late").get("orders").asString()).contains("handlers do not keep up with the",
				"delayqueue.health.max-overdue (1s)");
		assertThat(queue("orders").get("overdue").asLong()).isPositive();
		assertThat(queue("orders").get("oldestOverdueMillis").asLong()).isGreaterThan(1000);

		listeners.pause("orders");
		awaitStatus(200);
		assertThat(queue("orders").get("listener").asString()).isEqualTo("paused");
		listeners.resume("orders");
		awaitStatus(503);
		CountDownLatch stopped = new CountDownLatch(1);
		Thread stopping = new Thread(() -> {
			listeners.stop("orders");
			stopped.countDown();
		});
		stopping.start();
		awaitStatus(200);
		this.application.bean(Listening.class).permits.release(1000);
		await().until(() -> stopped.getCount() == 0);
		assertThat(health().status()).isEqualTo(200);
		assertThat(queue("orders").get("listener").asString()).isEqualTo("stopped");
		assertThat(queue("orders").get("overdue").asLong()).isPositive();

		listeners.start("orders");
		await().until(() -> queue("orders").get("scheduled").asLong() == 0);
		assertThat(health().status()).isEqualTo(200);
	}

	@Test
	@DisplayName("row 29: a policy that evicts the library's keys is reported until it is fixed")
	void anEvictingPolicyIsReportedUntilItIsFixed() {
		this.redis.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		await().until(() -> details().get("eviction").asString().startsWith("allkeys-lru"));
		assertThat(health().status()).as("there is no limit").isEqualTo(200);

		this.redis.call("CONFIG", "SET", "maxmemory", "100mb");
		awaitStatus(503);
		assertThat(details().get("eviction").asString()).contains("maxmemory-policy allkeys-lru", "104857600",
				"messages may be evicted", "set maxmemory-policy to noeviction");

		this.redis.call("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
		awaitStatus(200);
		assertThat(details().get("eviction").asString()).isEqualTo("volatile-lru");
	}

	@Test
	void withoutThePermissionForInfoThePolicyIsUnknown() {
		this.redis.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		this.redis.call("CONFIG", "SET", "maxmemory", "100mb");
		awaitStatus(503);
		this.redis.call("ACL", "SETUSER", "default", "-info");
		awaitStatus(200);
		assertThat(details().get("eviction").asString()).startsWith("unknown: ").contains("info");
	}

	@Test
	void aHealthCheckCostsAtMostOneCallPerPartition() {
		this.application.bean(DelayedListenerRegistry.class).stop("orders");
		try (WebApplication idle = WebApplication.start(this.redis.uri(), Stopped.class,
				"delayqueue.queues.parted.partitions=3"); CommandLog log = CommandLog.of(this.redis)) {
			for (int i = 0; i < 3; i++) {
				assertThat(idle.get("/actuator/health/delayqueue").status()).isEqualTo(200);
			}
			assertThat(log.count("EVALSHA")).isEqualTo(3);
			assertThat(log.count("INFO")).isEqualTo(1);
			assertThat(log.count("PING")).as("where nothing runs in the background").isEqualTo(3);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Stopped {

		@DelayedListener(queue = "parted", autoStartup = "false")
		void parted(String payload) {
		}

		@Bean
		QueueStatistics stock(DelayQueueEngine engine) {
			return new QueueStatistics(new Snapshots(engine.calls()), engine.queues(), engine.directory(),
					engine.gate(), Duration.ofHours(1), Duration.ofHours(1));
		}

	}

}
