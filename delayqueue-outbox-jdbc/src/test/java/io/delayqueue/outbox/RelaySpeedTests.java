package io.delayqueue.outbox;

import java.time.Duration;
import java.util.stream.IntStream;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.outbox.jdbc.JdbcOutbox;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Measures how fast the relay sends waiting rows, and checks that it sends all of them;
 * {@code -Doutbox.rows=100000} sets their number. Prints the speed.
 */
@Tag("slow")
class RelaySpeedTests {

	private static final int ROWS = Integer.getInteger("outbox.rows", 100_000);

	private static final int TRANSACTION = 1000;

	@Test
	void theRelaySendsAllWaitingRows() {
		try (RedisServer redis = RedisServer.builder().start();
				OutboxApplication application = OutboxApplication.on(TestDatabase.POSTGRESQL.create(), redis.uri())
					.set("delayqueue.defaults.partitions", 4)
					.startWithoutThreads()) {
			for (int first = 0; first < ROWS; first += TRANSACTION) {
				int from = first;
				application.inTransaction(() -> application.outbox()
					.scheduleAll(IntStream.range(from, Math.min(from + TRANSACTION, ROWS))
						.mapToObj((n) -> ScheduleRequest.to("orders")
							.id("order-" + n)
							.payload("x".repeat(200))
							.delay(Duration.ofHours(1)))
						.toList()));
			}
			JdbcOutbox outbox = application.bean(JdbcOutbox.class);
			long begin = System.nanoTime();
			outbox.start();
			await().pollInterval(Duration.ofMillis(10)).until(() -> outbox.counts().relayed() >= ROWS);
			double seconds = (System.nanoTime() - begin) / 1e9;
			System.out.printf("The relay has sent %d rows in %.1f s: %.0f rows/s%n", ROWS, seconds, ROWS / seconds);
			await().until(() -> application.rows() == 0);
			assertThat(outbox.counts().relayed()).isEqualTo(ROWS);
			assertThat(outbox.counts().retried()).isZero();
		}
	}

}
