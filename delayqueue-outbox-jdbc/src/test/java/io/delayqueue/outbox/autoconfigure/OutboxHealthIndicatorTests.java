package io.delayqueue.outbox.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.delayqueue.outbox.DelayQueueOutboxAdmin;
import io.delayqueue.outbox.FailedRow;
import io.delayqueue.outbox.OutboxStatus;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;

class OutboxHealthIndicatorTests {

	@Test
	void aRowOlderThanAMinuteIsReported() {
		assertThat(health(1, Duration.ofSeconds(60)).getStatus()).isEqualTo(Status.UP);
		Health late = health(1, Duration.ofSeconds(61));
		assertThat(late.getStatus()).isEqualTo(Status.DOWN);
		assertThat(late.getDetails()).containsKey("late").containsEntry("pending", 1L).containsEntry("failed", 3L);
		assertThat(health(0, Duration.ZERO).getStatus()).isEqualTo(Status.UP);
	}

	private static Health health(long pending, Duration oldest) {
		Health health = new OutboxHealthIndicator(new Counted(new OutboxStatus(pending, 3, oldest))).health(true);
		assertThat(health).isNotNull();
		return health;
	}

	/** Knows the counts only. */
	private record Counted(OutboxStatus status) implements DelayQueueOutboxAdmin {

		@Override
		public List<FailedRow> failed(long after, int limit) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean retry(long row) {
			throw new UnsupportedOperationException();
		}

		@Override
		public int retryAll(String queue) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean remove(long row) {
			throw new UnsupportedOperationException();
		}

	}

}
