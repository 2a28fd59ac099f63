package io.delayqueue.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.fixture.ObservedDataSource;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The work that the thread of a caller does.
 */
@Tag("slow")
class CallerThreadIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@ParameterizedTest
	@EnumSource
	void aCallIsOneStatementAndNoCallOfRedis(TestDatabase database) {
		try (RedisServer redis = RedisServer.builder().start();
				OutboxApplication application = OutboxApplication.on(database.create(), redis.uri())
					.with(ObservedDataSource.class)
					.startWithoutThreads();
				CommandLog commands = CommandLog.of(redis)) {
			Thread caller = Thread.currentThread();
			List<String> steps = new ArrayList<>();
			application.bean(ObservedDataSource.class).observe((step) -> {
				if (Thread.currentThread() == caller) {
					steps.add(step.replaceFirst("(INSERT).*", "$1"));
				}
			});
			application.inTransaction(() -> application.outbox().schedule("orders", "x", HOUR));
			assertThat(steps).containsExactly("INSERT", "commit", "committed");
			steps.clear();
			application.inTransaction(() -> {
				application.outbox().cancel("orders", "a");
				application.outbox().reschedule("orders", "a", HOUR);
				application.outbox()
					.scheduleAll(IntStream.range(0, 7)
						.mapToObj((n) -> ScheduleRequest.to("orders").payload(n).delay(HOUR))
						.toList());
			});
			// The rows of scheduleAll are one batch
			assertThat(steps).containsExactly("INSERT", "INSERT", "INSERT", "commit", "committed");
			assertThat(commands.commands()).isEmpty();
		}
	}

	@Test
	void aCallSucceedsWhileRedisIsAway() {
		try (RedisServer redis = RedisServer.builder().start();
				OutboxApplication application = OutboxApplication.on(TestDatabase.H2.create(), redis.uri())
					.set("delayqueue.schedule.deadline", "1s")
					.start()) {
			redis.freeze();
			String id = application.inTransaction(() -> application.outbox().schedule("orders", "x", HOUR));
			await().until(() -> application.admin().status().pending() == 1);
			assertThat(application.admin().status().failed()).isZero();
			redis.resume();
			await().until(() -> application.delayQueue().find("orders", id).isPresent());
			await().until(() -> application.rows() == 0);
		}
	}

}
