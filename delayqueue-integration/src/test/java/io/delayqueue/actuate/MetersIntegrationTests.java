package io.delayqueue.actuate;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.observe.QueueStatistics;
import io.delayqueue.store.Snapshots;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.SharedRedis;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The meters that a Prometheus server scrapes.
 */
@Tag("slow")
class MetersIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@Test
	void aScrapeContainsTheOutcomesOfMessages() {
		try (WebApplication application = WebApplication.start(SharedRedis.get().uri())) {
			DelayQueueOperations delayQueue = application.bean(DelayQueueOperations.class);
			delayQueue.schedule(ScheduleRequest.to("orders").payload("good").id("a").delay(Duration.ZERO));
			delayQueue.schedule(ScheduleRequest.to("orders").payload("bad").id("b").delay(Duration.ZERO));
			delayQueue.schedule(ScheduleRequest.to("orders").payload("later").id("c").delay(HOUR));
			delayQueue.schedule(ScheduleRequest.to("orders").payload("again").id("c").delay(HOUR));
			delayQueue.cancel("orders", "c");
			assertThat(scrape(application)).doesNotContain("delayqueue_handled");

			application.consume("orders", 1, (delivery) -> {
				if (delivery.id().equals("b")) {
					throw new IllegalStateException("no way");
				}
				return null;
			});

			await().untilAsserted(() -> assertThat(scrape(application)).contains(
					"delayqueue_scheduled_total{outcome=\"created\",queue=\"orders\"} 3.0",
					"delayqueue_scheduled_total{outcome=\"duplicate\",queue=\"orders\"} 1.0",
					"delayqueue_scheduled_total{outcome=\"unknown\",queue=\"orders\"} 0.0",
					"delayqueue_cancelled_total{queue=\"orders\",result=\"cancelled\"} 1.0",
					"delayqueue_swept_total{queue=\"orders\"} 2.0",
					"delayqueue_lateness_seconds_count{queue=\"orders\"} 2",
					"delayqueue_handled_seconds_count{outcome=\"success\",queue=\"orders\"} 1",
					"delayqueue_handled_seconds_count{outcome=\"failure\",queue=\"orders\"} 1",
					"delayqueue_superseded_total{queue=\"orders\"} 0.0",
					"delayqueue_released_total{queue=\"orders\"} 0.0",
					"delayqueue_messages{queue=\"orders\",state=\"dead\"} 1.0",
					"delayqueue_messages{queue=\"orders\",state=\"scheduled\"} 0.0",
					"delayqueue_overdue{queue=\"orders\"} 0.0", "delayqueue_overdue_age_seconds{queue=\"orders\"} 0.0",
					"delayqueue_in_flight{queue=\"orders\"} 0.0", "delayqueue_partitions_owned{queue=\"orders\"} 1.0"));
			assertThat(application.get("/actuator/metrics/delayqueue.lateness").json().get("description").asString())
				.isNotBlank();
		}
	}

	@Test
	void timersAreHistogramsIfConfigured() {
		try (WebApplication application = WebApplication.start(SharedRedis.get().uri(),
				"management.metrics.distribution.percentiles-histogram.delayqueue.lateness=true",
				"management.metrics.distribution.slo.delayqueue.handled=10ms,1s")) {
			application.bean(DelayQueueOperations.class).schedule("orders", "payload", Duration.ZERO);
			application.consume("orders", 1, (delivery) -> null);

			await().untilAsserted(() -> assertThat(scrape(application)).contains(
					"delayqueue_lateness_seconds_bucket{queue=\"orders\",le=\"+Inf\"} 1",
					"delayqueue_handled_seconds_bucket{outcome=\"success\",queue=\"orders\",le=\"+Inf\"} 1"));
			assertThat(
					scrape(application).lines().filter((line) -> line.startsWith("delayqueue_lateness_seconds_bucket")))
				.hasSizeGreaterThan(20);
			assertThat(scrape(application).lines()
				.filter((line) -> line.startsWith("delayqueue_handled_seconds_bucket{outcome=\"success\""))).hasSize(3);
		}
	}

	@Test
	void aScrapeCostsOneCallForEachPartition() {
		try (RedisServer redis = RedisServer.builder().start();
				WebApplication application = WebApplication.start(redis.uri(), LongFresh.class,
						"delayqueue.queues.parted.partitions=3")) {
			DelayQueueOperations delayQueue = application.bean(DelayQueueOperations.class);
			delayQueue.schedule("orders", "payload", HOUR);
			delayQueue.schedule("parted", "payload", HOUR);
			try (CommandLog log = CommandLog.of(redis)) {
				assertThat(scrape(application)).contains(
						"delayqueue_messages{queue=\"orders\",state=\"scheduled\"} 1.0",
						"delayqueue_messages{queue=\"parted\",state=\"scheduled\"} 1.0");
				// The hint of the scheduled message may be late, and so may the read of
				// the list of members before it. The server has not cached the script of
				// the scrape yet: it is sent once
				assertThat(log.commands()).filteredOn((command) -> !command.name().equals("PUBLISH"))
					.filteredOn((command) -> !command.arguments().toString().contains("{members}"))
					.extracting(CommandLog.Command::name)
					.containsExactlyInAnyOrder("EVAL", "EVALSHA", "EVALSHA", "EVALSHA", "EVALSHA");
				log.clear();
				scrape(application);
				assertThat(log.count("EVALSHA")).isZero();
			}
		}
	}

	@Test
	void aScrapeWhileRedisHangsOmitsTheNumbersOfRedis() {
		try (RedisServer redis = RedisServer.builder().start();
				WebApplication application = WebApplication.start(redis.uri(), ShortKept.class)) {
			for (int i = 0; i < 10; i++) {
				application.bean(DelayQueueOperations.class).schedule("queue-" + i, "payload", HOUR);
			}
			String known = "delayqueue_overdue{queue=\"queue-7\"} 0.0";
			assertThat(scrape(application)).contains(known);
			redis.freeze();
			try {
				await().untilAsserted(
						() -> assertThat(scrape(application)).contains("delayqueue_overdue{queue=\"queue-7\"} NaN",
								"delayqueue_scheduled_total{outcome=\"created\",queue=\"queue-7\"} 1.0"));
			}
			finally {
				redis.resume();
			}
			await().untilAsserted(() -> assertThat(scrape(application)).contains(known));
		}
	}

	@Test
	void aFailingMeterRegistryDoesNotDelayMessages() {
		try (WebApplication application = WebApplication.start(SharedRedis.get().uri(), BrokenRegistry.class)) {
			Set<String> handled = ConcurrentHashMap.newKeySet();
			DelayQueueOperations delayQueue = application.bean(DelayQueueOperations.class);
			for (int i = 0; i < 5; i++) {
				delayQueue.schedule(ScheduleRequest.to("orders").payload("p").id("o-" + i).delay(Duration.ZERO));
			}
			application.consume("orders", 2, (delivery) -> {
				handled.add(delivery.id());
				return null;
			});

			await().until(() -> handled.size() == 5);
			await().until(() -> delayQueue.find("orders", "o-4").isEmpty());
			assertThat(scrape(application)).doesNotContain("delayqueue_");
		}
	}

	private static String scrape(WebApplication application) {
		return application.get("/actuator/prometheus").body();
	}

	@Configuration(proxyBeanMethods = false)
	static class LongFresh {

		@Bean
		QueueStatistics stock(DelayQueueEngine engine) {
			return new QueueStatistics(new Snapshots(engine.calls()), engine.queues(), engine.directory(),
					engine.gate(), HOUR, HOUR);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ShortKept {

		@Bean
		QueueStatistics stock(DelayQueueEngine engine) {
			return new QueueStatistics(new Snapshots(engine.calls()), engine.queues(), engine.directory(),
					engine.gate(), Duration.ofMillis(200), Duration.ofSeconds(1));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BrokenRegistry {

		@Bean
		MeterFilter brokenFilter() {
			return new MeterFilter() {

				@Override
				public MeterFilterReply accept(Meter.Id id) {
					if (id.getName().startsWith("delayqueue.")) {
						throw new IllegalStateException("no meters today");
					}
					return MeterFilterReply.NEUTRAL;
				}

			};
		}

	}

}
