package io.delayqueue.actuate;

import java.time.Duration;
import java.util.concurrent.Semaphore;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.observe.QueueStatistics;
import io.delayqueue.server.ServerInfo;
import io.delayqueue.store.Snapshots;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import tools.jackson.databind.JsonNode;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.awaitility.Awaitility.await;

/**
 * Health over HTTP, with short intervals between its checks.
 */
@SuppressWarnings("NullAway.Init")
abstract class HealthOverHttp {

	static final String HEALTH = "/actuator/health/delayqueue";

	static final Duration TOLERATED = Duration.ofSeconds(6);

	RedisServer redis;

	WebApplication application;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().appendOnly(AppendOnly.ALWAYS).start();
		startApplication(Duration.ofSeconds(1));
	}

	void startApplication(Duration maxOverdue) {
		this.application = WebApplication.start(this.redis.uri(), Listening.class,
				"delayqueue.health.tolerated-outage=" + TOLERATED.toSeconds() + "s",
				"delayqueue.health.max-overdue=" + maxOverdue.toSeconds() + "s", "delayqueue.sweeper.high-water-mark=1",
				"delayqueue.defaults.concurrency=1", "delayqueue.queues.parted.partitions=3");
		awaitStatus(200);
	}

	@AfterEach
	void stop() {
		this.application.bean(Listening.class).permits.release(1000);
		this.application.close();
		if (this.redis.isFrozen()) {
			this.redis.resume();
		}
		this.redis.close();
	}

	void schedule(int messages, Duration delay) {
		for (int i = 0; i < messages; i++) {
			this.application.bean(DelayQueueOperations.class).schedule("orders", "payload", delay);
		}
	}

	void awaitStatus(int status) {
		await().until(() -> health().status() == status);
	}

	Answer health() {
		return this.application.get(HEALTH);
	}

	JsonNode details() {
		return health().json().get("details");
	}

	JsonNode queue(String queue) {
		return details().get("queues").get(queue);
	}

	/** Checks again after a short interval, so that tests need not wait. */
	@Configuration(proxyBeanMethods = false)
	static class Listening {

		final Semaphore permits = new Semaphore(0);

		@DelayedListener(queue = "orders")
		void order(String payload) {
			this.permits.acquireUninterruptibly();
		}

		@DelayedListener(queue = "parted", autoStartup = "false")
		void parted(String payload) {
		}

		@Bean
		QueueStatistics stock(DelayQueueEngine engine) {
			return new QueueStatistics(new Snapshots(engine.calls()), engine.queues(), engine.directory(),
					engine.gate(), Duration.ofMillis(100), TOLERATED);
		}

		@Bean
		EvictionWatch evictionWatch(DelayQueueEngine engine) {
			return new EvictionWatch(new ServerInfo(engine.calls())::masters, engine.gate(), Duration.ofMillis(100));
		}

	}

}
