package io.delayqueue.outbox.jdbc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How PostgreSQL carries out the statements of the relay on a large table whose
 * statistics are older than its rows.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutboxPlanIntegrationTests {

	private static final int BATCH = 512;

	private OutboxApplication application;

	private JdbcTemplate jdbc;

	@BeforeAll
	void start() {
		this.application = OutboxApplication.on(TestDatabase.POSTGRESQL.create(), SharedRedis.get().uri())
			.startWithoutThreads();
		this.jdbc = this.application.jdbc();
		this.jdbc.execute("ALTER TABLE delayqueue_outbox SET (autovacuum_enabled = false)");
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	/** Writes rows, of which every other one is for the same message. */
	private void write(int rows, String isFailed) {
		this.jdbc.update("""
				INSERT INTO delayqueue_outbox (kind, queue, message_id, token, created_at, next_attempt_at, failed_at)
				SELECT 'CANCEL', 'orders', CASE WHEN mod(n, 2) = 0 THEN 'hot' ELSE 'order-' || n END, 'token', now(),
					CASE WHEN NOT (is_failed) THEN now() END, CASE WHEN is_failed THEN now() END
				FROM (SELECT n, is_failed AS is_failed FROM generate_series(1, ?) n) AS rows""".replace("is_failed AS",
				isFailed + " AS"), rows);
	}

	/** What the table contained when PostgreSQL made its statistics. */
	enum Statistics {

		NOTHING(0, "FALSE"), FEW_ROWS(10, "FALSE"), FAILED_ROWS(20_000, "TRUE"), MANY_ROWS(20_000, "FALSE");

		private final int rows;

		private final String isFailed;

		Statistics(int rows, String isFailed) {
			this.rows = rows;
			this.isFailed = isFailed;
		}

	}

	@ParameterizedTest
	@EnumSource
	void noStatementReadsTheWholeTable(Statistics statistics) {
		this.jdbc.execute("TRUNCATE delayqueue_outbox");
		write(statistics.rows, statistics.isFailed);
		this.jdbc.execute("ANALYZE delayqueue_outbox");
		this.jdbc.update("DELETE FROM delayqueue_outbox");
		write(100_000, "mod(n, 1000) = 0");
		OutboxStatements statements = new OutboxStatements(OutboxDatabase.POSTGRESQL, "delayqueue_outbox");
		List<Object> numbers = this.jdbc.queryForList(
				"SELECT seq FROM delayqueue_outbox WHERE failed_at IS NULL ORDER BY seq LIMIT " + BATCH, Object.class);
		this.application.inTransaction(() -> {
			this.jdbc.execute(String.valueOf(statements.useOfIndexes()));
			assertPlan(statements.claim(BATCH), List.of());
			assertPlan(statements.firstOthers(BATCH, BATCH), join(numbers, numbers));
			assertPlan(statements.following(50), List.of("hot", "orders", numbers.get(0)));
			assertPlan(statements.putOff(BATCH), join(List.of(1000), numbers));
			assertPlan(statements.followers(BATCH), numbers);
			assertPlan(statements.wake(BATCH), numbers);
			assertPlan(statements.mark(BATCH), join(List.of(1000), numbers));
			assertPlan(statements.overtake(BATCH), numbers);
			assertPlan(statements.delete(BATCH), join(numbers, Collections.nCopies(BATCH, "token")));
		});
	}

	private static List<Object> join(List<?> first, List<?> second) {
		List<Object> all = new ArrayList<>(first);
		all.addAll(second);
		return all;
	}

	private void assertPlan(String sql, List<?> arguments) {
		assertThat(this.jdbc.queryForList("EXPLAIN " + sql, String.class, arguments.toArray())).as(sql)
			.noneMatch((line) -> line.contains("Seq Scan") || line.contains("Sort"));
	}

}
