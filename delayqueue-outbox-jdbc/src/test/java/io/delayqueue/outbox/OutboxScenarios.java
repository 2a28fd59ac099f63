package io.delayqueue.outbox;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.outbox.jdbc.JdbcOutbox;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The guarantees of the outbox, on each database.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OutboxScenarios {

	private static final Duration HOUR = Duration.ofHours(1);

	private final TestDatabase database;

	private OutboxApplication application;

	OutboxScenarios(TestDatabase database) {
		this.database = database;
	}

	@BeforeAll
	void start() {
		this.application = OutboxApplication.on(this.database.create(), SharedRedis.get().uri())
			.set("delayqueue.queues.limited.group.quota", 1)
			.start();
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	@BeforeEach
	void clear() {
		this.application.jdbc().update("DELETE FROM delayqueue_outbox");
	}

	private DelayQueueOutbox outbox() {
		return this.application.outbox();
	}

	private DelayQueueOperations delayQueue() {
		return this.application.delayQueue();
	}

	private static ScheduleRequest order(String id) {
		return ScheduleRequest.to("orders").id(id).payload(id).delay(HOUR);
	}

	private void awaitNoRows() {
		await().untilAsserted(() -> assertThat(this.application.allRows()).isEmpty());
	}

	@Test
	void aCommittedRowBecomesAMessage() {
		String id = this.application.inTransaction(
				() -> outbox().schedule(ScheduleRequest.to("orders").payload("x").delay(HOUR).header("a", "b")));
		await().until(() -> delayQueue().find("orders", id).isPresent());
		assertThat(delayQueue().find("orders", id))
			.hasValueSatisfying((message) -> assertThat(message.headers()).containsEntry("a", "b"));
		awaitNoRows();
	}

	@Test
	void manyRowsBecomeMessagesOfSeveralQueues() {
		List<String> ids = this.application.inTransaction(() -> outbox().scheduleAll(IntStream.range(0, 50)
			.mapToObj((n) -> ScheduleRequest.to("queue" + n % 3).payload(n).delay(HOUR))
			.toList()));
		awaitNoRows();
		assertThat(ids).hasSize(50).doesNotHaveDuplicates();
		IntStream.range(0, 50).forEach((n) -> assertThat(delayQueue().find("queue" + n % 3, ids.get(n))).isPresent());
	}

	@Test
	void nothingRemainsOfARollback() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> this.application.inTransaction(() -> {
			outbox().schedule(order("rolled-back"));
			throw new IllegalStateException("roll back");
		}));
		this.application.inTransaction(() -> {
			outbox().schedule(order("outer"));
			this.application.transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((status) -> {
				outbox().schedule(order("nested"));
				status.setRollbackOnly();
			});
		});
		await().until(() -> delayQueue().find("orders", "outer").isPresent());
		awaitNoRows();
		assertThat(delayQueue().find("orders", "rolled-back")).isEmpty();
		assertThat(delayQueue().find("orders", "nested")).isEmpty();
	}

	@Test
	void aCallWithoutAWritableTransactionIsRefused() {
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> outbox().schedule(order("none")))
			.withMessageContaining("needs a transaction");
		var readOnly = this.application.transaction(TransactionDefinition.PROPAGATION_REQUIRED);
		readOnly.setReadOnly(true);
		assertThatExceptionOfType(IllegalTransactionStateException.class)
			.isThrownBy(() -> readOnly.executeWithoutResult((status) -> outbox().cancel("orders", "none")))
			.withMessageContaining("read-only");
		awaitNoRows();
	}

	@Test
	void anInvalidRequestIsRefusedBeforeTheInsert() {
		this.application.inTransaction(() -> {
			assertThatExceptionOfType(InvalidMessageException.class)
				.isThrownBy(() -> outbox().schedule(ScheduleRequest.to("orders").payload("no delay")));
			assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(
					() -> outbox().scheduleAll(List.of(order("valid"), ScheduleRequest.to("orders").delay(HOUR))));
			assertThatExceptionOfType(InvalidMessageException.class)
				.isThrownBy(() -> outbox().reschedule("orders", "a", Duration.ofDays(100_000)));
			assertThat(this.application.rows()).isZero();
		});
	}

	@Test
	void callsOfATransactionAreCarriedOutInTheirOrder() {
		this.application.inTransaction(() -> {
			outbox().schedule(order("moved"));
			outbox().reschedule("orders", "moved", Duration.ofHours(5));
			outbox().schedule(order("cancelled"));
			outbox().cancel("orders", "cancelled");
			outbox().schedule(order("replaced"));
			outbox().cancel("orders", "replaced");
			outbox().schedule(order("replaced").header("second", "yes"));
		});
		awaitNoRows();
		assertThat(delayQueue().find("orders", "moved").orElseThrow().dueAt())
			.isAfter(Instant.now().plus(4, ChronoUnit.HOURS));
		assertThat(delayQueue().find("orders", "cancelled")).isEmpty();
		assertThat(delayQueue().find("orders", "replaced").orElseThrow().headers()).containsKey("second");
	}

	@Test
	void aRowWaitsForAnOlderOneWhicheverTransactionWroteIt() {
		this.application.inTransaction(() -> {
			// The older row is not committed yet, and nothing waits for it
			outbox().schedule(order("waits"));
			this.application.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
				.executeWithoutResult((status) -> outbox().schedule(order("does-not-wait")));
			await().until(() -> delayQueue().find("orders", "does-not-wait").isPresent());
		});
		this.application.inTransaction(() -> outbox().cancel("orders", "waits"));
		awaitNoRows();
		assertThat(delayQueue().find("orders", "waits")).isEmpty();
	}

	@Test
	void aDelayCountsFromTheCallAndADueTimeStays() {
		Instant dueAt = Instant.now().plus(30, ChronoUnit.HOURS).truncatedTo(ChronoUnit.MILLIS);
		this.application.bean(JdbcOutbox.class).stop();
		this.application.inTransaction(() -> {
			outbox().schedule(order("delay").delay(Duration.ofHours(10)));
			outbox().schedule(order("instant").dueAt(dueAt));
			outbox().schedule(order("passed").delay(Duration.ofHours(3)));
			outbox().schedule(order("expired").expiresAt(Instant.now().minus(2, ChronoUnit.HOURS)));
			outbox().schedule(order("limit").onDuplicate(DuplicatePolicy.postpone(Duration.ofHours(10)))
				.delay(Duration.ofHours(6)));
			outbox().schedule(order("passed-limit").onDuplicate(DuplicatePolicy.postpone(HOUR)));
			outbox().schedule(order("moving"));
			outbox().reschedule("orders", "moving", Duration.ofHours(20));
			outbox().schedule(order("moving-back"));
			outbox().reschedule("orders", "moving-back", Duration.ofHours(2));
		});
		this.application.jdbc().update("UPDATE delayqueue_outbox SET created_at = created_at - INTERVAL '4' HOUR");
		this.application.bean(JdbcOutbox.class).start();
		awaitNoRows();
		assertThat(delayQueue().find("orders", "instant").orElseThrow().dueAt()).isEqualTo(dueAt);
		assertDueIn("delay", 6);
		assertDueIn("passed", -1);
		assertDueIn("expired", -3);
		assertDueIn("limit", 2);
		assertDueIn("passed-limit", -3);
		assertDueIn("moving", 16);
		assertDueIn("moving-back", -2);
	}

	private void assertDueIn(String id, int hours) {
		MessageSnapshot message = delayQueue().find("orders", id).orElseThrow();
		Instant expected = Instant.now().plus(hours, ChronoUnit.HOURS);
		assertThat(message.dueAt()).as(id).isBetween(expected.minus(30, ChronoUnit.MINUTES), expected.plusSeconds(1));
	}

	@Test
	void aRefusedMessageIsAFailedRowThatHoldsUpNothing() {
		this.application.inTransaction(() -> {
			outbox().schedule(ScheduleRequest.to("limited").id("first").group("g").payload("x").delay(HOUR));
			outbox().schedule(order("taken"));
		});
		awaitNoRows();
		this.application.inTransaction(() -> {
			outbox().schedule(ScheduleRequest.to("limited").id("second").group("g").payload("x").delay(HOUR));
			outbox().schedule(order("taken").onDuplicate(DuplicatePolicy.fail()));
			outbox().cancel("orders", "taken");
			outbox().schedule(order("taken").expiresAt(Instant.now().minusSeconds(60)));
			outbox().schedule(order("other"));
		});
		await().until(() -> delayQueue().find("orders", "other").isPresent());
		await().untilAsserted(() -> assertThat(this.application.admin().failed(0, 10)).extracting(FailedRow::reason)
			.satisfiesExactlyInAnyOrder((quota) -> assertThat(quota).contains("quota"),
					(duplicate) -> assertThat(duplicate).contains("already"),
					(expired) -> assertThat(expired).contains("expiresAt")));
		await().until(() -> delayQueue().find("orders", "taken").isEmpty());
		await().until(() -> this.application.rows() == 3);
		// A refusal is certain, so a retry long afterwards is not late
		assertThat(this.application.allRows()).extracting("unconfirmed_since").containsOnlyNulls();
		FailedRow second = this.application.admin()
			.failed(0, 10)
			.stream()
			.filter((row) -> row.key().id().equals("second"))
			.findFirst()
			.orElseThrow();
		delayQueue().cancel("limited", "first");
		assertThat(this.application.admin().retry(second.row())).isTrue();
		await().until(() -> delayQueue().find("limited", "second").isPresent());
		assertThat(this.application.admin().retry(second.row())).isFalse();
		this.application.admin()
			.failed(0, 10)
			.forEach((row) -> assertThat(this.application.admin().remove(row.row())).isTrue());
		awaitNoRows();
	}

	@ParameterizedTest
	@ValueSource(strings = { "kind = 'UNKNOWN'", "queue = 'no queue!'", "due = 'soon'", "due = NULL", "expiry = 'late'",
			"on_duplicate = 'perhaps'", "on_duplicate = ''", "envelope = NULL", "kind = 'RESCHEDULE', due = 'x'" })
	void aMalformedRowIsAFailedRowThatHoldsUpNothing(String fault) {
		JdbcOutbox threads = this.application.bean(JdbcOutbox.class);
		threads.stop();
		this.application.inTransaction(() -> {
			outbox().schedule(order("malformed"));
			outbox().schedule(order("sound"));
			outbox().cancel("orders", "malformed");
		});
		this.application.jdbc()
			.update("UPDATE delayqueue_outbox SET " + fault + " WHERE message_id = 'malformed' AND kind = 'SCHEDULE'");
		long refused = threads.counts().failed();
		threads.start();
		await().until(() -> this.application.rows() == 1);
		assertThat(this.application.admin().failed(0, 10)).singleElement().satisfies((row) -> {
			assertThat(row.key().id()).isEqualTo("malformed");
			assertThat(row.reason()).startsWith("The row is malformed: ");
		});
		assertThat(threads.counts().failed()).isEqualTo(refused + 1);
		assertThat(delayQueue().find("orders", "sound")).isPresent();
		delayQueue().cancel("orders", "sound");
	}

	@Test
	void aFailedRowIsNotRetriedAfterALaterRowOfItsMessage() {
		this.application.inTransaction(() -> outbox().schedule(limited("paying", "holder")));
		awaitNoRows();
		this.application.inTransaction(() -> {
			outbox().schedule(limited("paying", "paid"));
			outbox().schedule(limited("paying", "changed").header("version", "old"));
			outbox().schedule(limited("paying", "unpaid"));
		});
		await().until(() -> this.application.admin().failed(0, 10).size() == 3);
		List<FailedRow> failed = this.application.admin().failed(0, 10);
		this.application.inTransaction(() -> {
			outbox().cancel("limited", "paid");
			outbox().schedule(
					limited("changing", "changed").header("version", "new").onDuplicate(DuplicatePolicy.replace()));
		});
		await().until(() -> this.application.rows() == 3);
		delayQueue().cancel("limited", "holder");

		assertThat(this.application.admin().failed(0, 10)).extracting(FailedRow::reason)
			.satisfiesExactly((paid) -> assertThat(paid).contains("quota", "cannot be retried"),
					(changed) -> assertThat(changed).contains("cannot be retried"),
					(unpaid) -> assertThat(unpaid).contains("quota").doesNotContain("cannot be retried"));
		assertThat(this.application.admin().retry(failed.get(0).row())).isFalse();
		assertThat(this.application.admin().retryAll("limited")).isEqualTo(1);
		await().until(() -> delayQueue().find("limited", "unpaid").isPresent());
		assertThat(delayQueue().find("limited", "paid")).isEmpty();
		assertThat(delayQueue().find("limited", "changed").orElseThrow().headers()).containsEntry("version", "new");
		assertThat(this.application.admin().remove(failed.get(0).row())).isTrue();
		delayQueue().cancelGroup("limited", "paying");
		delayQueue().cancelGroup("limited", "changing");
	}

	private static ScheduleRequest limited(String group, String id) {
		return ScheduleRequest.to("limited").id(id).group(group).payload(id).delay(HOUR);
	}

	@Test
	void aRetriedRowIsSentBeforeALaterRowOfItsMessage() {
		JdbcOutbox threads = this.application.bean(JdbcOutbox.class);
		this.application.inTransaction(() -> outbox().schedule(limited("ordered", "holder")));
		awaitNoRows();
		this.application.inTransaction(() -> outbox().schedule(limited("ordered", "first")));
		await().until(() -> this.application.admin().failed(0, 10).size() == 1);
		long failed = this.application.admin().failed(0, 10).get(0).row();
		threads.stop();
		delayQueue().cancel("limited", "holder");
		this.application.inTransaction(() -> outbox().cancel("limited", "first"));
		// Redis may have carried out the later call already
		this.application.jdbc()
			.update("UPDATE delayqueue_outbox SET unconfirmed_since = created_at WHERE kind = 'CANCEL'");
		assertThat(this.application.admin().retry(failed)).isFalse();
		this.application.jdbc().update("UPDATE delayqueue_outbox SET unconfirmed_since = NULL");
		assertThat(this.application.admin().retry(failed)).isTrue();
		threads.start();
		awaitNoRows();
		assertThat(delayQueue().find("limited", "first")).isEmpty();
	}

	@Test
	void aRowThatChangesNothingIsCounted() {
		JdbcOutbox threads = this.application.bean(JdbcOutbox.class);
		long before = threads.counts().unchanged();
		delayQueue().schedule(order("known"));
		this.application.inTransaction(() -> {
			outbox().schedule(order("known"));
			outbox().cancel("orders", "unknown");
			outbox().reschedule("orders", "unknown too", HOUR);
		});
		awaitNoRows();
		assertThat(threads.counts().unchanged()).isEqualTo(before + 3);
	}

	@Test
	void aDrainingQueueDelaysNoOther() {
		DelayQueueAdmin admin = this.application.bean(DelayQueueAdmin.class);
		delayQueue().schedule("drained", "first use", HOUR);
		admin.drain("drained");
		this.application.inTransaction(() -> {
			outbox().schedule(ScheduleRequest.to("drained").id("later").payload("x").delay(HOUR));
			outbox().schedule(order("now"));
		});
		await().until(() -> delayQueue().find("orders", "now").isPresent());
		assertThat(delayQueue().find("drained", "later")).isEmpty();
		assertThat(this.application.admin().failed(0, 10)).isEmpty();
		admin.reopen("drained");
		await().until(() -> delayQueue().find("drained", "later").isPresent());
		awaitNoRows();
	}

}
