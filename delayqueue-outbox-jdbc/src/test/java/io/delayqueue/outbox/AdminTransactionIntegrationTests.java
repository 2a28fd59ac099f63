package io.delayqueue.outbox;

import java.time.Duration;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Calls of operators inside transactions of the application.
 */
@Tag("slow")
class AdminTransactionIntegrationTests {

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aCallOfAnOperatorNeitherCommitsNorJoinsTheTransactionOfTheCaller(boolean isJpa) {
		try (OutboxApplication application = application(isJpa)) {
			assertThat(application.bean(PlatformTransactionManager.class) instanceof JpaTransactionManager)
				.isEqualTo(isJpa);
			DelayQueueOutboxAdmin admin = application.admin();
			long retried = failed(application, "retried");
			long removed = failed(application, "removed");
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> application.inTransaction(() -> {
				schedule(application, "rolled-back");
				assertThat(admin.status()).extracting(OutboxStatus::pending, OutboxStatus::failed)
					.containsExactly(0L, 2L);
				assertThat(admin.failed(0, 10)).hasSize(2);
				assertThat(admin.retry(retried)).isTrue();
				assertThat(admin.remove(removed)).isTrue();
				assertThat(admin.retryAll("orders")).isZero();
				throw new IllegalStateException("roll back");
			}));
			assertThat(application.allRows()).extracting("message_id").containsExactly("retried");
			application.inTransaction(() -> {
				schedule(application, "first");
				assertThat(admin.failed(0, 10)).isEmpty();
				schedule(application, "second");
			});
			assertThat(application.allRows()).extracting("message_id").containsExactly("retried", "first", "second");
		}
	}

	private static OutboxApplication application(boolean isJpa) {
		OutboxApplication.Builder builder = OutboxApplication.on(TestDatabase.POSTGRESQL.create(),
				SharedRedis.get().uri());
		return (isJpa ? builder.withJpa() : builder).startWithoutThreads();
	}

	private static void schedule(OutboxApplication application, String id) {
		application.outbox().schedule(ScheduleRequest.to("orders").id(id).payload(id).delay(Duration.ofHours(1)));
	}

	/** Writes a failed row, and returns its number. */
	private static long failed(OutboxApplication application, String id) {
		application.inTransaction(() -> schedule(application, id));
		application.jdbc()
			.update("UPDATE delayqueue_outbox SET failed_at = created_at, failure = 'refused' WHERE message_id = ?",
					id);
		return application.admin()
			.failed(0, 10)
			.stream()
			.filter((row) -> row.key().id().equals(id))
			.findFirst()
			.orElseThrow()
			.row();
	}

}
