package io.delayqueue.outbox;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows whose id a queue knows, but for which it has no waiting message: none of them
 * disappears.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KnownIdIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private final String prefix = OutboxApplication.newPrefix();

	private OutboxApplication application;

	@BeforeAll
	void start() {
		this.application = OutboxApplication.on(TestDatabase.H2.create(), SharedRedis.get().uri())
			.set("delayqueue.key-prefix", this.prefix)
			.set("delayqueue.defaults.max-attempts", 1)
			.with(Listener.class)
			.start();
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	static class Listener {

		private final CountDownLatch end = new CountDownLatch(1);

		@DelayedListener(queue = "handled")
		void handle(DelayedMessage<String> message) throws InterruptedException {
			switch (message.id()) {
				case "fails" -> throw new IllegalStateException("a test");
				case "runs" -> this.end.await();
				default -> {
				}
			}
		}

	}

	private DelayQueueOperations delayQueue() {
		return this.application.delayQueue();
	}

	private void scheduleInTransaction(String id, Duration delay) {
		this.application.inTransaction(() -> this.application.outbox()
			.schedule(ScheduleRequest.to("handled").id(id).payload("x").delay(delay)));
	}

	private FailedRow awaitFailed(String id, String reason) {
		FailedRow failed = await().until(() -> failed(id), Objects::nonNull);
		assertThat(failed).isNotNull();
		assertThat(failed.reason()).contains(reason);
		return failed;
	}

	private @Nullable FailedRow failed(String id) {
		return this.application.admin()
			.failed(0, 10)
			.stream()
			.filter((row) -> row.key().id().equals(id))
			.findFirst()
			.orElse(null);
	}

	@Test
	void theIdOfADeadLetter() {
		scheduleInTransaction("fails", Duration.ZERO);
		await().until(() -> isIn("fails", MessageState.DEAD));
		scheduleInTransaction("fails", HOUR);
		FailedRow schedule = awaitFailed("fails", "A dead letter has this id");
		assertThat(this.application.admin().remove(schedule.row())).isTrue();
		this.application.inTransaction(() -> this.application.outbox().reschedule("handled", "fails", HOUR));
		FailedRow reschedule = awaitFailed("fails", "The message is a dead letter");
		// Redis does not remember the call, because a retry must be able to move a
		// message
		assertThat(this.application.admin().retry(reschedule.row())).isTrue();
		awaitFailed("fails", "The message is a dead letter");
		assertThat(this.application.admin().remove(reschedule.row())).isTrue();

		scheduleInTransaction("fails", HOUR);
		FailedRow again = awaitFailed("fails", "A dead letter has this id");
		this.application.bean(DelayQueueAdmin.class).discard(MessageKey.of("handled", "fails"));
		assertThat(this.application.admin().retry(again.row())).isTrue();
		await().until(() -> isIn("fails", MessageState.SCHEDULED));
	}

	@Test
	void theIdOfAMessageThatIsBeingHandled() {
		scheduleInTransaction("runs", Duration.ZERO);
		await().until(() -> isIn("runs", MessageState.PENDING));
		scheduleInTransaction("runs", HOUR);
		awaitFailed("runs", "A message with this id is being handled");
		this.application.bean(Listener.class).end.countDown();
	}

	@Test
	void theIdOfAMessageThatHasFinished() {
		scheduleInTransaction("ends", Duration.ZERO);
		await().until(() -> this.application.allRows().stream().noneMatch((row) -> "ends".equals(row.get("message_id")))
				&& delayQueue().find("handled", "ends").isEmpty());
		scheduleInTransaction("ends", HOUR);
		FailedRow failed = awaitFailed("ends", "A message with this id has finished");
		try (RespClient redis = SharedRedis.get().client()) {
			redis.call("ZREM", this.prefix + ":{handled:0}:done", "ends");
		}
		assertThat(this.application.admin().retry(failed.row())).isTrue();
		await().until(() -> isIn("ends", MessageState.SCHEDULED));
	}

	@Test
	void theIdOfMessagesOfOtherGroups() {
		this.application.inTransaction(() -> {
			for (String group : List.of("a", "b", "c")) {
				this.application.outbox()
					.schedule(ScheduleRequest.to("handled").id("shared").group(group).payload("x").delay(HOUR));
			}
			this.application.outbox().schedule(ScheduleRequest.to("handled").id("shared").payload("x").delay(HOUR));
			this.application.outbox().cancel(new MessageKey("handled", "shared", "b"));
		});
		await().until(
				() -> this.application.allRows().stream().noneMatch((row) -> "shared".equals(row.get("message_id"))));
		assertThat(Stream.of("a", "b", "c")
			.filter((group) -> delayQueue().find(new MessageKey("handled", "shared", group)).isPresent()))
			.containsExactly("a", "c");
		assertThat(delayQueue().find("handled", "shared").orElseThrow().group()).isNull();
	}

	private boolean isIn(String id, MessageState state) {
		return delayQueue().find("handled", id).filter((message) -> message.state() == state).isPresent();
	}

}
