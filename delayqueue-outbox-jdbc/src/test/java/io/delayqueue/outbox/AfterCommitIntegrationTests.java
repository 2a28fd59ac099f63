package io.delayqueue.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleAfterCommitException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Messages that are scheduled after the commit of a transaction of JDBC.
 */
@Isolated("the start of another application resets the log that is read here")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class AfterCommitIntegrationTests {

	private OutboxApplication application;

	private final List<String> steps = new ArrayList<>();

	@BeforeAll
	void start() {
		this.application = OutboxApplication.on(TestDatabase.H2.create(), SharedRedis.get().uri())
			.set("delayqueue.queues.orders.group.quota", 1)
			.startWithoutThreads();
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	private DelayQueueOperations delayQueue() {
		return this.application.delayQueue();
	}

	private void scheduleAfterCommit(String id) {
		delayQueue().scheduleAfterCommit(order(id));
	}

	private static ScheduleRequest order(String id) {
		return ScheduleRequest.to("orders").id(id).payload(id).delay(Duration.ofHours(1));
	}

	private boolean exists(String id) {
		return delayQueue().find("orders", id).isPresent();
	}

	private void refuseMessagesOf(String group) {
		delayQueue().schedule(order("first of " + group).group(group));
	}

	/** A time before the end of a transaction at which a callback of it may run. */
	enum Callback {

		BEFORE_COMMIT, BEFORE_COMPLETION, AFTER_COMMIT, AFTER_COMPLETION;

		void run(Runnable work) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					runIf(BEFORE_COMMIT);
				}

				@Override
				public void beforeCompletion() {
					runIf(BEFORE_COMPLETION);
				}

				@Override
				public void afterCommit() {
					runIf(AFTER_COMMIT);
				}

				@Override
				public void afterCompletion(int status) {
					runIf(AFTER_COMPLETION);
				}

				private void runIf(Callback time) {
					if (time == Callback.this) {
						work.run();
					}
				}

			});
		}

	}

	@ParameterizedTest
	@EnumSource
	void aMessageOfACallbackIsScheduled(Callback callback) {
		this.application.inTransaction(() -> callback.run(() -> {
			scheduleAfterCommit("direct " + callback);
			this.application.inTransaction(() -> scheduleAfterCommit("joined " + callback));
			this.application.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
				.executeWithoutResult((status) -> scheduleAfterCommit("new " + callback));
			this.application.transaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
				.executeWithoutResult((status) -> scheduleAfterCommit("none " + callback));
		}));
		assertThat(List.of("direct ", "joined ", "new ", "none "))
			.allSatisfy((kind) -> assertThat(exists(kind + callback)).as(kind).isTrue());
	}

	@Test
	void aMessageOfALateCallbackIsScheduledAlthoughTheFirstOnesAreSent() {
		this.application.inTransaction(() -> {
			scheduleAfterCommit("early");
			Callback.BEFORE_COMPLETION.run(() -> Callback.AFTER_COMMIT.run(() -> {
				assertThat(exists("early")).isTrue();
				scheduleAfterCommit("late");
			}));
		});
		assertThat(exists("late")).isTrue();
	}

	@Test
	void allMessagesAreSentAndTheCallbacksOfTheApplicationRunBeforeAFailureIsThrown() {
		refuseMessagesOf("g");
		assertThatExceptionOfType(ScheduleAfterCommitException.class)
			.isThrownBy(() -> this.application.inTransaction(() -> {
				delayQueue().scheduleAfterCommit(order("refused").group("g"));
				scheduleAfterCommit("second");
				delayQueue().scheduleAfterCommit(order("second").onDuplicate(DuplicatePolicy.fail()));
				Callback.AFTER_COMMIT.run(() -> this.steps.add("callback"));
			}))
			.withMessageContaining("2 of its 3 messages")
			.withCauseInstanceOf(QuotaExceededException.class)
			.satisfies((failure) -> {
				assertThat(failure.answers()).extracting(ScheduleAnswer::id)
					.containsExactly("refused", "second", "second");
				assertThat(failure.answers()).extracting(ScheduleAnswer::isAccepted)
					.containsExactly(false, true, false);
				assertThat(failure.getSuppressed()).hasSize(1);
			});
		assertThat(this.steps).containsExactly("callback");
		assertThat(exists("second")).isTrue();
	}

	@Test
	void theFailureOfAnOnlyMessageIsThrown() {
		refuseMessagesOf("alone");
		assertThatExceptionOfType(QuotaExceededException.class).isThrownBy(() -> this.application
			.inTransaction(() -> delayQueue().scheduleAfterCommit(order("only").group("alone"))));
	}

	@Test
	void aFailingCallbackOfTheApplicationPreventsNoMessage(CapturedOutput output) {
		refuseMessagesOf("h");
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.application.inTransaction(() -> {
			Callback.AFTER_COMMIT.run(() -> {
				throw new IllegalStateException("the application");
			});
			delayQueue().scheduleAfterCommit(order("unheard").group("h"));
			scheduleAfterCommit("heard");
		}));
		assertThat(exists("heard")).isTrue();
		assertThat(output).contains("Message 'unheard'");
	}

	@Test
	void nothingIsSentOfWhatIsRolledBack() {
		Consumer<String> nested = (id) -> this.application.transaction(TransactionDefinition.PROPAGATION_NESTED)
			.executeWithoutResult((status) -> {
				scheduleAfterCommit(id);
				if (id.startsWith("rolled")) {
					status.setRollbackOnly();
				}
			});
		this.application.inTransaction(() -> {
			nested.accept("rolled first");
			scheduleAfterCommit("kept");
			nested.accept("rolled second");
			nested.accept("kept nested");
		});
		assertThat(exists("kept")).isTrue();
		assertThat(exists("kept nested")).isTrue();
		this.application.transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult((status) -> {
			scheduleAfterCommit("rolled whole");
			Callback.BEFORE_COMPLETION.run(() -> scheduleAfterCommit("rolled callback"));
			status.setRollbackOnly();
		});
		assertThat(List.of("rolled first", "rolled second", "rolled whole", "rolled callback"))
			.noneSatisfy((id) -> assertThat(exists(id)).isTrue());
	}

	@Test
	void aMessageWhoseTransactionMayNotHaveCommittedIsNamed(CapturedOutput output) {
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		try {
			scheduleAfterCommit("unknown");
			TransactionSynchronizationUtils.invokeAfterCompletion(
					TransactionSynchronizationManager.getSynchronizations(), TransactionSynchronization.STATUS_UNKNOWN);
		}
		finally {
			TransactionSynchronizationManager.clear();
		}
		assertThat(exists("unknown")).isFalse();
		assertThat(output).contains("Message 'unknown' of queue 'orders' is not scheduled");
	}

}
