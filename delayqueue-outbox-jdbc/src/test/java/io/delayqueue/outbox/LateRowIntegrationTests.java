package io.delayqueue.outbox;

import java.time.Duration;
import java.time.Instant;

import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.fixture.HandledMessages;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.outbox.jdbc.JdbcOutbox;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows that are sent after the delays of their messages have ended.
 */
@Tag("slow")
class LateRowIntegrationTests {

	private static final Duration WAITED = Duration.ofMinutes(5);

	@Test
	void messagesKeepTheOrderOfTheirDueTimesAndExpire() {
		try (OutboxApplication application = OutboxApplication
			.on(TestDatabase.POSTGRESQL.create(), SharedRedis.get().uri())
			.set("delayqueue.queues.delivered.group.concurrency", 1)
			.with(HandledMessages.class)
			.startWithoutThreads()) {
			Instant called = Instant.now().minus(WAITED);
			application.inTransaction(() -> {
				schedule(application, message("z", 10));
				schedule(application, message("expired-after", 10).expireAfter(Duration.ofMinutes(1)));
				schedule(application, message("expired-at", 10).expiresAt(called.plusSeconds(60)));
				schedule(application, message("a", 20));
			});
			application.jdbc()
				.update("UPDATE delayqueue_outbox SET created_at = created_at - INTERVAL '" + WAITED.toSeconds()
						+ "' SECOND");
			application.bean(JdbcOutbox.class).start();
			HandledMessages handled = application.bean(HandledMessages.class);
			await().until(() -> handled.ids().contains("a") && handled.ids().contains("z"));
			await().until(() -> isDead(application, "expired-after") && isDead(application, "expired-at"));
			await().until(() -> application.rows() == 0);
			assertThat(handled.ids()).containsExactly("z", "a");
		}
	}

	private static ScheduleRequest message(String id, int seconds) {
		return ScheduleRequest.to("delivered").id(id).group("g").payload(id).delay(Duration.ofSeconds(seconds));
	}

	private static void schedule(OutboxApplication application, ScheduleRequest request) {
		application.outbox().schedule(request);
	}

	private static boolean isDead(OutboxApplication application, String id) {
		return application.delayQueue()
			.find("delivered", id)
			.filter((message) -> message.state() == MessageState.DEAD)
			.isPresent();
	}

}
