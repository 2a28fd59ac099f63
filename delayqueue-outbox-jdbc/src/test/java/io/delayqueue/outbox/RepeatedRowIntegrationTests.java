package io.delayqueue.outbox;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.fixture.HandledMessages;
import io.delayqueue.outbox.fixture.ObservedDataSource;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.outbox.jdbc.JdbcOutbox;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows that are sent more than once: a relay died before it deleted them, or was frozen
 * while it had them.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RepeatedRowIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private final String database = TestDatabase.POSTGRESQL.create();

	private RedisServer redis;

	private OutboxApplication application;

	@BeforeAll
	void start() {
		this.redis = RedisServer.builder().start();
		this.application = application().with(HandledMessages.class).start();
	}

	private OutboxApplication.Builder application() {
		return OutboxApplication.on(this.database, this.redis.uri()).set("delayqueue.key-prefix", "repeated");
	}

	@AfterAll
	void stop() {
		this.application.close();
		this.redis.close();
	}

	private DelayQueueOperations delayQueue() {
		return this.application.delayQueue();
	}

	/** Writes a call, and returns its row after it was written and before it is sent. */
	private Map<String, Object> rowOf(Consumer<DelayQueueOutbox> call) {
		JdbcOutbox threads = this.application.bean(JdbcOutbox.class);
		threads.stop();
		this.application.inTransaction(() -> call.accept(this.application.outbox()));
		Map<String, Object> row = this.application.allRows().get(0);
		threads.start();
		await().until(() -> this.application.rows() == 0);
		return row;
	}

	/** The row is there again, as if its relay had died before it deleted the row. */
	private void repeat(Map<String, Object> row) {
		String columns = String.join(", ", row.keySet());
		this.application.jdbc()
			.update("INSERT INTO delayqueue_outbox (" + columns + ") VALUES (?" + ", ?".repeat(row.size() - 1) + ")",
					row.values().toArray());
		await().until(() -> this.application.rows() == 0);
	}

	/** Ends the windows of Redis, except those that last longer than 50 minutes. */
	private void forgetShortWindows() {
		this.redis.call("EVAL", """
				local now = redis.call('TIME')[1] * 1000
				for _, key in ipairs(redis.call('KEYS', 'repeated:*:done')) do
				  redis.call('ZREMRANGEBYSCORE', key, '-inf', now + 3000000)
				end
				return 'done'""", "0");
	}

	static List<DuplicatePolicy> policies() {
		// The policy replace stores a message even if the id is known
		return List.of(DuplicatePolicy.keep(), DuplicatePolicy.replace(), DuplicatePolicy.postpone(HOUR));
	}

	@ParameterizedTest
	@MethodSource("policies")
	void aRepeatedMessageThatHasEndedIsNotDeliveredAgain(DuplicatePolicy policy) {
		String id = "once-" + policy.kind();
		Map<String, Object> row = rowOf((outbox) -> outbox
			.schedule(ScheduleRequest.to("delivered").id(id).payload("x").delay(Duration.ZERO).onDuplicate(policy)));
		HandledMessages handled = this.application.bean(HandledMessages.class);
		await().until(() -> handled.ids().contains(id));
		await().until(() -> delayQueue().find("delivered", id).isEmpty());
		forgetShortWindows();
		// The message is due later, so that find would still return it
		row.put("due", "+3600000");
		repeat(row);
		assertThat(delayQueue().find("delivered", id)).isEmpty();
		// Redis remembers the id for the done-window only
		assertThat(delayQueue().schedule(ScheduleRequest.to("delivered").id(id).payload("y").delay(HOUR)).outcome())
			.hasToString("CREATED");
		assertThat(handled.ids()).containsOnlyOnce(id);
	}

	@Test
	void aRepeatedMessageThatWasCancelledOrReplacedIsNotStoredAgain() {
		Map<String, Object> cancelled = rowOf(
				(outbox) -> outbox.schedule(ScheduleRequest.to("orders").id("cancelled").payload("x").delay(HOUR)));
		delayQueue().cancel("orders", "cancelled");
		forgetShortWindows();
		repeat(cancelled);
		assertThat(delayQueue().find("orders", "cancelled")).isEmpty();
	}

	@Test
	void aRepeatedDuplicateIsNotStored() {
		delayQueue().schedule(ScheduleRequest.to("orders").id("twice").payload("x").delay(HOUR));
		Map<String, Object> row = rowOf(
				(outbox) -> outbox.schedule(ScheduleRequest.to("orders").id("twice").payload("y").delay(HOUR)));
		delayQueue().cancel("orders", "twice");
		forgetShortWindows();
		repeat(row);
		assertThat(delayQueue().find("orders", "twice")).isEmpty();
	}

	@Test
	void aRepeatedCancelThatFoundNothingDoesNotCancelALaterMessage() {
		Map<String, Object> row = rowOf((outbox) -> outbox.cancel("orders", "later"));
		delayQueue().schedule(ScheduleRequest.to("orders").id("later").payload("x").delay(HOUR));
		forgetShortWindows();
		repeat(row);
		assertThat(delayQueue().find("orders", "later")).isPresent();
	}

	@Test
	void aRepeatedRescheduleDoesNotMoveALaterMessage() {
		Map<String, Object> none = rowOf((outbox) -> outbox.reschedule("orders", "moved", Duration.ofHours(9)));
		var first = delayQueue().schedule(ScheduleRequest.to("orders").id("moved").payload("x").delay(HOUR));
		forgetShortWindows();
		repeat(none);
		assertThat(delayQueue().find("orders", "moved").orElseThrow().dueAt()).isEqualTo(first.dueAt());

		Map<String, Object> moved = rowOf((outbox) -> outbox.reschedule("orders", "moved", Duration.ofHours(9)));
		var second = delayQueue().reschedule("orders", "moved", Duration.ofHours(3));
		assertThat(second).hasToString("RESCHEDULED");
		var due = delayQueue().find("orders", "moved").orElseThrow().dueAt();
		forgetShortWindows();
		repeat(moved);
		assertThat(delayQueue().find("orders", "moved").orElseThrow().dueAt()).isEqualTo(due);
	}

	@Test
	void aRepeatAfterTheWindowIsCounted() {
		JdbcOutbox threads = this.application.bean(JdbcOutbox.class);
		long before = threads.counts().late();
		threads.stop();
		this.application.inTransaction(() -> this.application.outbox().schedule("orders", "x", HOUR));
		this.application.jdbc()
			.update("UPDATE delayqueue_outbox SET unconfirmed_since = clock_timestamp() - INTERVAL '2 hours'");
		threads.start();
		await().until(() -> threads.counts().late() > before);
	}

	@Test
	void aFrozenRelayComesBackAfterAnotherHasSent() throws InterruptedException {
		CountDownLatch frozen = new CountDownLatch(1);
		CountDownLatch thaw = new CountDownLatch(1);
		AtomicBoolean isMarked = new AtomicBoolean();
		this.application.bean(JdbcOutbox.class).stop();
		try (OutboxApplication other = application().with(ObservedDataSource.class)
			.set("delayqueue.outbox.claim-timeout", "1h")
			.start()) {
			String freezing = "freeze";
			other.bean(ObservedDataSource.class).observe((step) -> {
				if (step.contains("claimed_until = clock")) {
					isMarked.set(true);
				}
				if (step.equals("committed") && isMarked.get() && frozen.getCount() > 0) {
					frozen.countDown();
					awaitUninterruptibly(thaw);
				}
			});
			this.application.inTransaction(() -> this.application.outbox()
				.schedule(ScheduleRequest.to("delivered").id(freezing).payload("x").delay(Duration.ZERO)));
			frozen.await();
			// The claim of the relay ends while the relay is frozen
			this.application.jdbc().update("UPDATE delayqueue_outbox SET claimed_until = clock_timestamp()");
			this.application.bean(JdbcOutbox.class).start();
			HandledMessages deliveries = this.application.bean(HandledMessages.class);
			await().until(() -> deliveries.ids().contains(freezing));
			await().until(() -> this.application.rows() == 0);
			forgetShortWindows();
			thaw.countDown();
			await().until(() -> other.bean(JdbcOutbox.class).counts().relayed() == 1);
			assertThat(delayQueue().find("delivered", freezing)).isEmpty();
			assertThat(deliveries.ids()).containsOnlyOnce(freezing);
		}
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException stopped) {
			Thread.currentThread().interrupt();
		}
	}

}
