package io.delayqueue.outbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import javax.sql.DataSource;

import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.outbox.fixture.Breakpoint;
import io.delayqueue.outbox.fixture.HandledMessages;
import io.delayqueue.outbox.fixture.DyingProcess;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.outbox.jdbc.JdbcOutbox;
import io.delayqueue.test.redis.ChildProcess;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A process is killed ({@code kill -9}) between every two steps of a row, and another one
 * continues.
 */
@Tag("slow")
class KilledOutboxIntegrationTests {

	@TempDir
	private Path directory;

	@Test
	@DisplayName("row 77: a process that is killed between any two steps of a row loses no row and doubles no message")
	void everyCommittedRowBecomesOneMessage() {
		try (RedisServer redis = RedisServer.builder().start();
				OutboxApplication survivor = OutboxApplication.on(TestDatabase.POSTGRESQL.create(), redis.uri())
					.set("delayqueue.key-prefix", "dying")
					.with(HandledMessages.class)
					.start()) {
			DataSource dataSource = survivor.bean(DataSource.class);
			List<Breakpoint> breakpoints = List.of(Breakpoint.values());
			breakpoints.forEach((breakpoint) -> DyingProcess.createTable(dataSource, breakpoint));
			Path log = this.directory.resolve("log");
			try (ChildProcess process = DyingProcess.start(survivor.databaseUrl(), redis.uri(), log)) {
				await().until(() -> lines(log).stream().anyMatch(DyingProcess::isReady));
				process.kill();
			}
			List<JdbcOutbox> outboxes = breakpoints.stream()
				.map((breakpoint) -> new JdbcOutbox(dataSource, DyingProcess.settings(breakpoint),
						survivor.bean(DelayQueueEngine.class)))
				.toList();
			outboxes.forEach(JdbcOutbox::start);
			breakpoints
				.forEach((breakpoint) -> await().untilAsserted(() -> assertThat(rows(survivor, breakpoint)).isZero()));
			HandledMessages deliveries = survivor.bean(HandledMessages.class);
			String[] expected = Arrays.stream(Breakpoint.values())
				.filter((breakpoint) -> breakpoint != Breakpoint.WRITTEN)
				.map(Enum::name)
				.toArray(String[]::new);
			await().untilAsserted(() -> assertThat(deliveries.ids()).contains(expected));
			await().until(() -> survivor.delayQueue().find("delivered", "CLAIMED").isEmpty());
			assertThat(deliveries.ids()).containsExactlyInAnyOrder(expected);
			outboxes.forEach(JdbcOutbox::stop);
		}
	}

	private static long rows(OutboxApplication application, Breakpoint breakpoint) {
		Long rows = application.jdbc()
			.queryForObject("SELECT COUNT(*) FROM " + DyingProcess.settings(breakpoint).tableName(), Long.class);
		return (rows != null) ? rows : -1;
	}

	private static List<String> lines(Path log) {
		try {
			return Files.exists(log) ? Files.readAllLines(log) : List.of();
		}
		catch (IOException failure) {
			return List.of();
		}
	}

}
