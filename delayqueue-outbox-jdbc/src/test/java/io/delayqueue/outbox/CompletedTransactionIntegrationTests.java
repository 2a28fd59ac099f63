package io.delayqueue.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.AfterCommitIntegrationTests.Callback;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls of the outbox from callbacks of a transaction.
 */
@Isolated("the start of another application resets the log that is read here")
@ExtendWith(OutputCaptureExtension.class)
class CompletedTransactionIntegrationTests {

	/** The event of a listener that calls the outbox. */
	record Placed(Callable<?> call) {
	}

	static class Listener {

		private final List<Object> outcomes = new ArrayList<>();

		@TransactionalEventListener
		void plain(Placed placed) {
			this.outcomes.add(outcome(placed.call()));
		}

	}

	private static Object outcome(Callable<?> call) {
		try {
			return call.call();
		}
		catch (Exception failure) {
			return failure;
		}
	}

	@ParameterizedTest
	@CsvSource({ "H2, false, true", "H2, true, false", "POSTGRESQL, false, false", "POSTGRESQL, true, true" })
	void aCallAfterTheCommitIsRefusedBeforeTheInsert(TestDatabase database, boolean jpa, boolean autoCommit) {
		OutboxApplication.Builder builder = OutboxApplication.on(database.create(), SharedRedis.get().uri())
			.set("spring.datasource.hikari.auto-commit", autoCommit)
			.with(Listener.class);
		try (OutboxApplication application = (jpa ? builder.withJpa() : builder).startWithoutThreads()) {
			Callable<String> call = () -> application.outbox()
				.schedule(ScheduleRequest.to("orders").payload("x").delay(Duration.ofHours(1)));
			List<Object> outcomes = new ArrayList<>();
			Runnable direct = () -> outcomes.add(outcome(call));
			Runnable joined = () -> application.inTransaction(direct);
			application.inTransaction(() -> {
				Callback.AFTER_COMMIT.run(direct);
				Callback.AFTER_COMMIT.run(joined);
				Callback.AFTER_COMPLETION.run(direct);
				application.publish(new Placed(call));
			});
			outcomes.addAll(application.bean(Listener.class).outcomes);
			assertThat(outcomes).hasSize(4)
				.allSatisfy((outcome) -> assertThat(outcome).isInstanceOf(IllegalTransactionStateException.class)
					.asString()
					.contains("has been committed", "REQUIRES_NEW"));
			assertThat(application.rows()).isZero();

			outcomes.clear();
			application.inTransaction(() -> {
				Callback.BEFORE_COMMIT.run(direct);
				Callback.BEFORE_COMPLETION.run(direct);
				Callback.AFTER_COMMIT.run(() -> application.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
					.executeWithoutResult((status) -> direct.run()));
			});
			assertThat(outcomes).hasSize(3).hasOnlyElementsOfType(String.class);
			assertThat(application.rows()).isEqualTo(3);
		}
	}

	@Test
	void aCallThatATransactionManagerHidesIsLogged(CapturedOutput output) {
		try (OutboxApplication application = OutboxApplication.on(TestDatabase.H2.create(), SharedRedis.get().uri())
			.startWithoutThreads()) {
			Runnable call = () -> application.outbox()
				.schedule(ScheduleRequest.to("orders").payload("x").delay(Duration.ofHours(1)));
			var hidden = new TransactionTemplate(
					new JdbcTransactionManager(application.bean(javax.sql.DataSource.class)));
			hidden.executeWithoutResult((status) -> {
				call.run();
				Callback.BEFORE_COMPLETION.run(call);
			});
			assertThat(output).doesNotContain("may be lost");
			hidden.executeWithoutResult((status) -> Callback.AFTER_COMMIT.run(call));
			assertThat(output).contains("may be lost");
		}
	}

}
