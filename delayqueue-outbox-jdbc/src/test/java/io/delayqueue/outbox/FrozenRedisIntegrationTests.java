package io.delayqueue.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.outbox.jdbc.JdbcOutbox;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Redis is frozen while it has a call of the outbox, and carries the call out when it
 * continues. The delay counts from the call of the application nevertheless.
 */
@Tag("slow")
class FrozenRedisIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@ParameterizedTest
	@DisplayName("row 79: a call of the outbox that a frozen Redis carries out late is due on time")
	@ValueSource(strings = { "schedule", "reschedule" })
	void aCallThatIsCarriedOutLateIsDueOnTime(String script) {
		try (RedisServer redis = RedisServer.builder().start();
				FaultProxy proxy = FaultProxy.to(redis);
				OutboxApplication application = application(proxy).set("spring.data.redis.timeout", "1s")
					.set("delayqueue.schedule.deadline", "1s")
					.startWithoutThreads()) {
			Instant called = write(application, script);
			proxy.beforeNextRequest(Scripts.digest(script), redis::freeze);
			application.bean(JdbcOutbox.class).start();
			await().until(redis::isFrozen);
			Instant frozen = Instant.now();
			// The client gives up, and the request stays in the socket of Redis
			await().until(() -> application.bean(JdbcOutbox.class).counts().retried() > 0);
			redis.resume();
			await().until(() -> application.rows() == 0);
			assertThat(dueAt(application)).isBetween(called.plus(HOUR), frozen.plus(HOUR));
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void theLimitOfACallThatIsCarriedOutLateCountsFromTheCall(boolean hasDueTime) {
		try (RedisServer redis = RedisServer.builder().start();
				FaultProxy proxy = FaultProxy.to(redis);
				OutboxApplication application = application(proxy).set("spring.data.redis.timeout", "1s")
					.set("delayqueue.schedule.deadline", "1s")
					.startWithoutThreads()) {
			warmUp(application);
			ScheduleRequest request = ScheduleRequest.to("orders")
				.id("o")
				.payload("x")
				.onDuplicate(DuplicatePolicy.postpone(HOUR));
			Instant called = Instant.ofEpochMilli(System.currentTimeMillis());
			application.inTransaction(
					() -> application.outbox().schedule(hasDueTime ? request.dueAt(called) : request.delay(HOUR)));
			proxy.beforeNextRequest(Scripts.digest("schedule"), redis::freeze);
			application.bean(JdbcOutbox.class).start();
			await().until(redis::isFrozen);
			Instant frozen = Instant.now();
			await().until(() -> application.bean(JdbcOutbox.class).counts().retried() > 0);
			redis.resume();
			await().until(() -> application.rows() == 0);
			// Is postponed to its limit
			application.delayQueue().schedule(request.delay(HOUR));
			assertThat(dueAt(application)).isBetween(called.plus(HOUR), frozen.plus(HOUR));
		}
	}

	@Test
	void aLateAnswerAboutTheTimeOfRedisDoesNotCount() {
		try (RedisServer redis = RedisServer.builder().start();
				FaultProxy proxy = FaultProxy.to(redis);
				OutboxApplication application = application(proxy).set("spring.data.redis.timeout", "60s")
					.startWithoutThreads()) {
			Instant called = write(application, "schedule");
			proxy.beforeNextRequest(Scripts.digest("peek-partitions"), redis::freeze);
			application.bean(JdbcOutbox.class).start();
			await().until(redis::isFrozen);
			Instant frozen = Instant.now();
			Duration freeze = Duration.ofSeconds(3);
			await().pollDelay(freeze.toNanos(), TimeUnit.NANOSECONDS).until(() -> true);
			redis.resume();
			await().until(() -> application.rows() == 0);
			assertThat(dueAt(application)).isBetween(called.plus(HOUR), frozen.plus(HOUR).plus(freeze.dividedBy(2)));
		}
	}

	private static OutboxApplication.Builder application(FaultProxy proxy) {
		return OutboxApplication.on(TestDatabase.POSTGRESQL.create(), proxy.uri());
	}

	/** Writes a call, and returns a time right before it, in ms. */
	private static Instant write(OutboxApplication application, String script) {
		boolean isStored = script.equals("reschedule");
		warmUp(application);
		if (isStored) {
			application.delayQueue().schedule(ScheduleRequest.to("orders").id("o").payload("x").delay(HOUR));
		}
		Instant called = Instant.ofEpochMilli(System.currentTimeMillis());
		application.inTransaction(() -> {
			if (isStored) {
				application.outbox().reschedule("orders", "o", HOUR);
			}
			else {
				application.outbox().schedule(ScheduleRequest.to("orders").id("o").payload("x").delay(HOUR));
			}
		});
		return called;
	}

	/** Redis must know the scripts, or it carries nothing out. */
	private static void warmUp(OutboxApplication application) {
		application.delayQueue().schedule(ScheduleRequest.to("orders").id("warm").payload("x").delay(HOUR));
		application.delayQueue().reschedule("orders", "warm", HOUR);
	}

	private static Instant dueAt(OutboxApplication application) {
		return application.delayQueue().find("orders", "o").orElseThrow().dueAt();
	}

}
