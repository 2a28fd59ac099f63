package io.delayqueue.outbox;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.outbox.autoconfigure.DelayQueueOutboxAutoConfiguration;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The ways to create the table, as docs/transactions.md has them.
 */
@Tag("slow")
class MigrationIntegrationTests {

	@Test
	void flywayCreatesTheTable() {
		migrates(application().set("spring.flyway.enabled", true).with(V1__create_delayqueue_outbox.class));
	}

	@Test
	void liquibaseCreatesTheTable() {
		migrates(application().set("spring.liquibase.enabled", true)
			.set("spring.liquibase.change-log", "classpath:db/changelog.yaml"));
	}

	private static OutboxApplication.Builder application() {
		return OutboxApplication.on(TestDatabase.POSTGRESQL.create(), SharedRedis.get().uri())
			.set("delayqueue.outbox.initialize-schema", "never");
	}

	private static void migrates(OutboxApplication.Builder builder) {
		try (OutboxApplication application = builder.start()) {
			String id = application
				.inTransaction(() -> application.outbox().schedule("orders", "x", Duration.ofHours(1)));
			await().until(() -> application.delayQueue().find("orders", id).isPresent());
			await().until(() -> application.rows() == 0);
		}
	}

	@ParameterizedTest
	@EnumSource
	void theTableIsCreatedByItselfWhereThePropertySaysSo(DatabaseInitializationMode mode) {
		startWith(mode, TestDatabase.H2, mode != DatabaseInitializationMode.NEVER);
		startWith(mode, TestDatabase.POSTGRESQL, mode == DatabaseInitializationMode.ALWAYS);
	}

	private static void startWith(DatabaseInitializationMode mode, TestDatabase database, boolean hasTable) {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class,
							DelayQueueAutoConfiguration.class, DelayQueueOutboxAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.url=" + SharedRedis.get().uri(),
					"spring.datasource.url=" + database.create(), "delayqueue.outbox.initialize-schema=" + mode)
			.run((context) -> assertThat(hasTable(new JdbcTemplate(context.getBean(DataSource.class))))
				.isEqualTo(hasTable));
	}

	@ParameterizedTest
	@EnumSource
	void aMissingTableIsNamedWithTheWayToCreateIt(TestDatabase database) {
		try (OutboxApplication application = OutboxApplication.on(database.create(), SharedRedis.get().uri())
			.set("delayqueue.outbox.initialize-schema", "never")
			.startWithoutThreads()) {
			assertThatExceptionOfType(InvalidDataAccessResourceUsageException.class)
				.isThrownBy(() -> application
					.inTransaction(() -> application.outbox().schedule("orders", "x", Duration.ofHours(1))))
				.withMessageStartingWith("Table 'delayqueue_outbox' of the outbox is missing, ")
				.withMessageContaining("initialize-schema");
		}
	}

	@Test
	void aProcessStartsWhileAnotherOneCreatesTheTable() throws SQLException {
		String database = TestDatabase.POSTGRESQL.create();
		try (Connection other = DriverManager.getConnection(database)) {
			other.setAutoCommit(false);
			ScriptUtils.executeSqlScript(other, new ClassPathResource("io/delayqueue/outbox/schema-postgresql.sql"));
			CompletableFuture<OutboxApplication> starting = start(database);
			await().until(() -> starting.isDone() || isAnyWaiting(database));
			assertThat(starting).isNotDone();
			other.commit();
			try (OutboxApplication application = starting.join()) {
				assertThat(hasTable(application.jdbc())).isTrue();
			}
		}
	}

	@Test
	void aProcessStartsWhileATransactionHasWrittenARow() {
		String database = TestDatabase.POSTGRESQL.create();
		try (OutboxApplication first = start(database).join()) {
			first.inTransaction(() -> {
				first.outbox().schedule("orders", "x", Duration.ofHours(1));
				CompletableFuture<OutboxApplication> starting = start(database);
				await().until(() -> starting.isDone() || isAnyWaiting(database));
				assertThat(starting).isDone();
				starting.join().close();
			});
		}
	}

	private static CompletableFuture<OutboxApplication> start(String database) {
		return CompletableFuture
			.supplyAsync(() -> OutboxApplication.on(database, SharedRedis.get().uri()).startWithoutThreads());
	}

	private static boolean isAnyWaiting(String database) {
		return !new JdbcTemplate(new DriverManagerDataSource(database))
			.queryForList(
					"SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
			.isEmpty();
	}

	private static boolean hasTable(JdbcTemplate jdbc) {
		Long tables = jdbc.queryForObject(
				"SELECT COUNT(*) FROM information_schema.tables WHERE LOWER(table_name) = 'delayqueue_outbox'",
				Long.class);
		return tables != null && tables == 1;
	}

	@ParameterizedTest
	@EnumSource
	void theTableMayHaveAnotherNameAndSchema(TestDatabase database) {
		String url = database.create();
		try (OutboxApplication first = OutboxApplication.on(url, SharedRedis.get().uri()).startWithoutThreads()) {
			first.jdbc().execute("CREATE SCHEMA app");
			try (OutboxApplication second = OutboxApplication.on(url, SharedRedis.get().uri())
				.set("delayqueue.outbox.table-name", "app.calls")
				.start()) {
				String id = second.inTransaction(() -> second.outbox().schedule("orders", "x", Duration.ofHours(1)));
				await().until(() -> second.delayQueue().find("orders", id).isPresent());
				await().untilAsserted(
						() -> assertThat(second.jdbc().queryForObject("SELECT COUNT(*) FROM app.calls", Long.class))
							.isZero());
			}
		}
	}

}
