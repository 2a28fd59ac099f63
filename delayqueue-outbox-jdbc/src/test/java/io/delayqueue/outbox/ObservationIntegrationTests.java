package io.delayqueue.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.outbox.autoconfigure.DelayQueueOutboxEndpoint;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.outbox.jdbc.JdbcOutbox;
import io.delayqueue.outbox.jdbc.OutboxSettings;
import io.delayqueue.test.redis.SharedRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.transaction.CannotCreateTransactionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Meters, health and endpoint of the outbox.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ObservationIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private OutboxApplication application;

	@BeforeAll
	void start() {
		this.application = OutboxApplication.on(TestDatabase.H2.create(), SharedRedis.get().uri())
			.set("management.endpoints.web.exposure.include", "*")
			.set("delayqueue.queues.limited.group.quota", 1)
			.with(Observed.class)
			.start();
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	private double meter(String name) {
		return this.application.bean(MeterRegistry.class)
			.get("delayqueue.outbox." + name)
			.meter()
			.measure()
			.iterator()
			.next()
			.getValue();
	}

	private Health health() {
		HealthIndicator indicator = this.application.bean("delayqueueOutboxHealthIndicator", HealthIndicator.class);
		Health health = indicator.health(true);
		assertThat(health).isNotNull();
		return health;
	}

	@Test
	void countsAndFailedRowsAreShown() {
		this.application.inTransaction(() -> this.application.outbox().schedule("orders", "x", HOUR));
		await().until(() -> meter("relayed") >= 1);
		this.application.inTransaction(() -> {
			for (String id : new String[] { "a", "b" }) {
				this.application.outbox()
					.schedule(ScheduleRequest.to("limited").id(id).group("g").payload("secret").delay(HOUR));
			}
		});
		DelayQueueOutboxEndpoint endpoint = this.application.bean(DelayQueueOutboxEndpoint.class);
		await().until(() -> !endpoint.outbox(null).rows().isEmpty());
		FailedRow failed = endpoint.outbox(null).rows().get(0);
		assertThat(failed.toString()).contains("limited", "quota").doesNotContain("secret");
		assertThat(meter("refused")).isEqualTo(1);
		await().until(() -> meter("failed") == 1);
		assertThat(meter("retried")).isZero();
		assertThat(meter("late")).isZero();
		assertThat(health().getStatus()).isEqualTo(Status.UP);
		assertThat(endpoint.outbox(failed.row()).rows()).isEmpty();
		assertThat(endpoint.retry(4711, SecurityContext.NONE)).isNull();
		assertThat(endpoint.remove(failed.row())).isTrue();
		assertThat(endpoint.remove(failed.row())).isNull();
	}

	@Test
	void anOldRowIsCounted() {
		JdbcOutbox threads = this.application.bean(JdbcOutbox.class);
		threads.stop();
		this.application.inTransaction(() -> this.application.outbox().schedule("orders", "x", HOUR));
		this.application.jdbc()
			.update("UPDATE delayqueue_outbox SET created_at = created_at - INTERVAL '90' SECOND WHERE failed_at IS NULL");
		// A new reader counts again, while the other one still has earlier counts
		OutboxStatus status = new JdbcOutbox(this.application.bean(DataSource.class),
				new OutboxSettings("delayqueue_outbox", HOUR, 1, HOUR, HOUR, HOUR),
				this.application.bean(DelayQueueEngine.class))
			.admin()
			.status();
		assertThat(status.pending()).isEqualTo(1);
		assertThat(status.oldest()).isGreaterThanOrEqualTo(Duration.ofSeconds(90));
		threads.start();
		await().until(() -> this.application.rows() == 0);
	}

	@Test
	void aScrapeCallsADatabaseThatIsAwayOnce() {
		AtomicInteger attempts = new AtomicInteger();
		DataSource away = new AbstractDataSource() {

			@Override
			public Connection getConnection() throws SQLException {
				attempts.incrementAndGet();
				throw new SQLException("away");
			}

			@Override
			public Connection getConnection(String user, String password) throws SQLException {
				return getConnection();
			}

		};
		DelayQueueOutboxAdmin admin = new JdbcOutbox(away,
				new OutboxSettings("delayqueue_outbox", HOUR, 1, HOUR, HOUR, HOUR),
				this.application.bean(DelayQueueEngine.class))
			.admin();
		for (int gauge = 0; gauge < 3; gauge++) {
			assertThatExceptionOfType(CannotCreateTransactionException.class).isThrownBy(admin::status);
		}
		assertThat(attempts).hasValue(1);
	}

	@Configuration(proxyBeanMethods = false)
	static class Observed {

		@Bean
		SimpleMeterRegistry meters() {
			return new SimpleMeterRegistry();
		}

	}

}
