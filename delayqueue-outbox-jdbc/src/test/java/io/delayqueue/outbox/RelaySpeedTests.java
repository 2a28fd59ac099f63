package io.delayqueue.outbox;

import java.time.Duration;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.delayqueue.DuplicatePolicy;
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
		measure(ROWS, (n) -> "order-" + n);
	}

	/** Every other row is for the same message. */
	@Test
	void theRelaySendsManyRowsOfOneMessageBesideOthers() {
		measure(ROWS, (n) -> (n % 2 == 0) ? "hot" : "order-" + n);
	}

	/** All rows are for the same message, as they come together while Redis is away. */
	@Test
	void theRelaySendsManyRowsOfOneMessage() {
		measure(ROWS / 5, (n) -> "hot");
	}

	private static void measure(int rows, IntFunction<String> id) {
		try (RedisServer redis = RedisServer.builder().start();
				OutboxApplication application = OutboxApplication.on(TestDatabase.POSTGRESQL.create(), redis.uri())
					.set("delayqueue.defaults.partitions", 4)
					.startWithoutThreads()) {
			for (int first = 0; first < rows; first += TRANSACTION) {
				int from = first;
				application.inTransaction(() -> application.outbox()
					.scheduleAll(IntStream.range(from, Math.min(from + TRANSACTION, rows))
						.mapToObj((n) -> ScheduleRequest.to("orders")
							.id(id.apply(n))
							.payload("x".repeat(200))
							.onDuplicate(DuplicatePolicy.replace())
							.delay(Duration.ofHours(1)))
						.toList()));
			}
			JdbcOutbox outbox = application.bean(JdbcOutbox.class);
			long begin = System.nanoTime();
			outbox.start();
			await().atMost(Duration.ofMinutes(10))
				.pollInterval(Duration.ofMillis(10))
				.until(() -> outbox.counts().relayed() >= rows);
			double seconds = (System.nanoTime() - begin) / 1e9;
			System.out.printf("The relay has sent %d rows, the last one for '%s', in %.1f s: %.0f rows/s%n", rows,
					id.apply(rows - 2), seconds, rows / seconds);
			await().until(() -> application.rows() == 0);
			assertThat(outbox.counts().relayed()).isEqualTo(rows);
			assertThat(outbox.counts().retried()).isZero();
		}
	}

}
