package io.delayqueue.observe;

import java.time.Instant;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.DuplicateMessageException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageState;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.observe.QueueObserver.NotScheduled;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NotScheduledTests {

	@Test
	void everyExceptionHasItsReason() {
		counts(new QuotaExceededException("q", "m", "g", 3), NotScheduled.QUOTA_EXCEEDED);
		counts(new DuplicateMessageException("q", "m", MessageState.READY), NotScheduled.DUPLICATE_REFUSED);
		counts(new ScheduleOutcomeUnknownException("q", "m", new RuntimeException("lost")), NotScheduled.UNKNOWN);
		counts(new DelayQueueUnavailableException("away", "q", "m", null), NotScheduled.REJECTED);
		counts(new QueueDrainingException("q", "m", Instant.EPOCH), NotScheduled.REJECTED);
		counts(new InvalidMessageException("dueAt", "x", "sooner"), NotScheduled.REJECTED);
	}

	private static void counts(DelayQueueException failure, NotScheduled reason) {
		assertThat(NotScheduled.of(failure)).isEqualTo(reason);
	}

}
