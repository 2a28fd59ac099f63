package io.delayqueue.outbox;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * An application with two data sources.
 */
@Tag("slow")
class DataSourcesIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void onlyATransactionOfTheAnnotatedDataSourceIsAccepted(boolean autoCommit) {
		try (OutboxApplication application = OutboxApplication.on(TestDatabase.H2.create(), SharedRedis.get().uri())
			.with(TwoDatabases.class)
			.set("test.auto-commit", autoCommit)
			.start()) {
			TwoDatabases databases = application.bean(TwoDatabases.class);
			String id = new TransactionTemplate(new JdbcTransactionManager(databases.orders()))
				.execute((status) -> application.outbox().schedule("orders", "x", HOUR));
			JdbcTemplate orders = new JdbcTemplate(databases.orders());
			await().until(() -> application.delayQueue().find("orders", String.valueOf(id)).isPresent());
			await().until(() -> rows(orders).isEmpty());
			TransactionTemplate other = new TransactionTemplate(new JdbcTransactionManager(databases.other()));
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> other.execute((status) -> application.outbox().schedule("orders", "x", HOUR)))
				.withMessageContaining("@DelayQueueOutboxDataSource");
			// A connection that is only used there does not belong to the transaction
			assertThatExceptionOfType(IllegalTransactionStateException.class)
				.isThrownBy(() -> other.execute((status) -> {
					rows(orders);
					return application.outbox().schedule("orders", "x", HOUR);
				}));
			assertThat(rows(orders)).isEmpty();
		}
	}

	@Test
	void aPoolMayHandOutConnectionsWithoutAutoCommit() {
		try (OutboxApplication application = OutboxApplication
			.on(TestDatabase.POSTGRESQL.create(), SharedRedis.get().uri())
			.set("spring.datasource.hikari.auto-commit", false)
			.start()) {
			String id = application.inTransaction(() -> application.outbox().schedule("orders", "x", HOUR));
			await().until(() -> application.delayQueue().find("orders", id).isPresent());
			await().until(() -> application.rows() == 0);
		}
	}

	private static List<Map<String, Object>> rows(JdbcTemplate database) {
		return database.queryForList("SELECT * FROM delayqueue_outbox");
	}

	@Configuration
	static class TwoDatabases {

		private final String ordersUrl = TestDatabase.H2.create();

		private final String otherUrl = TestDatabase.H2.create();

		private final boolean autoCommit;

		TwoDatabases(@Value("${test.auto-commit}") boolean autoCommit) {
			this.autoCommit = autoCommit;
		}

		@Bean
		DataSource other() {
			return dataSource(this.otherUrl);
		}

		@Bean
		@DelayQueueOutboxDataSource
		DataSource orders() {
			return dataSource(this.ordersUrl);
		}

		private DataSource dataSource(String url) {
			HikariDataSource dataSource = new HikariDataSource();
			dataSource.setJdbcUrl(url);
			dataSource.setAutoCommit(this.autoCommit);
			return dataSource;
		}

	}

}
