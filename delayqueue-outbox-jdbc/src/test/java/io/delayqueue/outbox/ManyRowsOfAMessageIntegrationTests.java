package io.delayqueue.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.outbox.fixture.ObservedDataSource;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.outbox.jdbc.JdbcOutbox;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Many rows of one message, as they come together while Redis is unavailable.
 */
@Tag("slow")
class ManyRowsOfAMessageIntegrationTests {

	private static final int ROWS = 500;

	private static ScheduleRequest order(String queue, String id) {
		return ScheduleRequest.to(queue).id(id).payload(id).delay(Duration.ofHours(1));
	}

	private static OutboxApplication.Builder application(String database) {
		return OutboxApplication.on(database, SharedRedis.get().uri());
	}

	@ParameterizedTest
	@EnumSource
	void theyAreSentInTheirOrderByFewTransactionsOfSeveralProcesses(TestDatabase kind) {
		String database = kind.create();
		String prefix = OutboxApplication.newPrefix();
		List<OutboxApplication> processes = new ArrayList<>();
		try {
			for (int process = 0; process < 2; process++) {
				processes.add(application(database).set("delayqueue.key-prefix", prefix)
					.with(ObservedDataSource.class)
					.startWithoutThreads());
			}
			OutboxApplication first = processes.get(0);
			first.inTransaction(() -> {
				for (int row = 0; row < ROWS; row += 2) {
					first.outbox().schedule(order("orders", "hot"));
					first.outbox().cancel("orders", "hot");
				}
				first.outbox()
					.scheduleAll(IntStream.range(0, 100).mapToObj((n) -> order("orders", "other-" + n)).toList());
				first.outbox().schedule(order("orders", "hot").header("last", "yes"));
			});
			AtomicInteger claims = new AtomicInteger();
			processes.forEach((process) -> process.bean(ObservedDataSource.class).observe((step) -> {
				if (step.contains("attempts = attempts + 1")) {
					claims.incrementAndGet();
				}
			}));
			processes.forEach((process) -> process.bean(JdbcOutbox.class).start());
			await().atMost(Duration.ofMinutes(1)).until(() -> first.rows() == 0);

			// A schedule that had come before an older cancel would have changed nothing
			assertThat(processes).allSatisfy((process) -> {
				assertThat(process.bean(JdbcOutbox.class).counts().unchanged()).isZero();
				assertThat(process.bean(JdbcOutbox.class).counts().retried()).isZero();
			});
			assertThat(first.delayQueue().find("orders", "hot").orElseThrow().headers()).containsEntry("last", "yes");
			assertThat(claims).hasValueLessThan(ROWS / 5);
		}
		finally {
			processes.forEach(OutboxApplication::close);
		}
	}

	@ParameterizedTest
	@EnumSource
	void theyDelayNoOtherMessageWhileTheyWait(TestDatabase kind) {
		try (OutboxApplication application = application(kind.create()).set("delayqueue.outbox.batch-size", 100)
			.startWithoutThreads()) {
			application.delayQueue().schedule(order("drained", "first use"));
			application.bean(DelayQueueAdmin.class).drain("drained");
			application.inTransaction(() -> {
				for (int row = 0; row < ROWS; row++) {
					application.outbox().schedule(order("drained", "hot"));
				}
				application.outbox().schedule(order("orders", "other"));
			});
			application.bean(JdbcOutbox.class).start();
			await().until(() -> application.delayQueue().find("orders", "other").isPresent());
			await().until(() -> application.rows() == ROWS);
			application.bean(DelayQueueAdmin.class).reopen("drained");
			await().atMost(Duration.ofMinutes(1)).until(() -> application.rows() == 0);
			// The first row was stored; the other ones found it
			assertThat(application.bean(JdbcOutbox.class).counts().unchanged()).isEqualTo(ROWS - 1);
		}
	}

}
