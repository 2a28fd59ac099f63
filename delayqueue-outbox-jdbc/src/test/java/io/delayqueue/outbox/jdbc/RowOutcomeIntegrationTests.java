package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.record.CallToken;
import io.delayqueue.schedule.PreparedCalls;
import io.delayqueue.test.redis.SharedRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The outcomes of a relay that was away while it had a row.
 */
@Tag("slow")
class RowOutcomeIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@Tag("slow")
	@Test
	void aRowThatIsSentAfterTheWindowIsCounted() {
		try (OutboxApplication application = application(TestDatabase.H2)) {
			DelayQueueEngine engine = application.bean(DelayQueueEngine.class);
			PreparedCalls prepared = engine.preparedCalls();
			OutboxCounts counts = new OutboxCounts();
			RowCalls calls = new RowCalls(prepared, engine.gate(), new RowPolicy(HOUR), HOUR, counts);
			NewRow row = NewRow.schedule(prepared.prepare(ScheduleRequest.to("orders").payload("x").delay(HOUR), HOUR));
			send(calls, row, 59, null);
			send(calls, row, 29, Duration.ofMinutes(30));
			assertThat(counts.late()).isZero();
			send(calls, row, 61, null);
			assertThat(counts.late()).isEqualTo(1);
			send(calls, row, 31, Duration.ofMinutes(30));
			assertThat(counts.late()).isEqualTo(2);
		}
	}

	/** Sends a row as a process does that was frozen after its claim. */
	private static void send(RowCalls calls, NewRow row, long frozenMinutes, @Nullable Duration unconfirmed) {
		long now = System.nanoTime();
		ClaimedRow claimed = new ClaimedRow(1, row, Duration.ZERO, now - TimeUnit.MINUTES.toNanos(frozenMinutes), 1,
				unconfirmed);
		assertThat(calls.carryOut(List.of(claimed), now + HOUR.toNanos()))
			.hasOnlyElementsOfType(RowOutcome.Finished.class);
	}

	@ParameterizedTest
	@EnumSource
	void anOutcomeDoesNotConcernALaterRowWithTheSameNumber(TestDatabase database) {
		try (OutboxApplication application = application(database)) {
			OutboxTable table = new OutboxTable(application.bean(DataSource.class), "delayqueue_outbox",
					new OutboxCounts());
			application.inTransaction(() -> {
				for (String id : List.of("finished", "retried", "failed")) {
					application.outbox().cancel(MessageKey.of("orders", id));
				}
			});
			List<ClaimedRow> claimed = table.claim(10, HOUR);
			assertThat(claimed).hasSize(3);
			application.jdbc().update("UPDATE delayqueue_outbox SET token = ?", CallToken.lasting(HOUR));
			List<RowOutcome> outcomes = List.of(new RowOutcome.Finished(claimed.get(0)),
					new RowOutcome.Retried(claimed.get(1), HOUR, false, "away"),
					new RowOutcome.Failed(claimed.get(2), "refused"));
			table.settle(outcomes);
			assertThat(application.allRows()).hasSize(3).extracting("failure").containsOnlyNulls();
			claimed.forEach((row) -> application.jdbc()
				.update("UPDATE delayqueue_outbox SET token = ? WHERE seq = ?", row.call().token(), row.seq()));
			table.settle(outcomes);
			assertThat(application.allRows()).extracting("failure").containsExactly("away", "refused");
		}
	}

	private static OutboxApplication application(TestDatabase database) {
		return OutboxApplication.on(database.create(), SharedRedis.get().uri()).startWithoutThreads();
	}

}
