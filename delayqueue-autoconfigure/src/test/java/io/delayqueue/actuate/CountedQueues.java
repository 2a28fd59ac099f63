package io.delayqueue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fills queues for the endpoint to count, and knows by which names it tells the counts.
 */
final class CountedQueues {

	private static final String[] COUNTS = { "scheduled", "overdue", "ready", "pending", "dead", "oldestOverdueMillis",
			"oldestPendingIdleMillis", "nextDue", "paused", "consumers" };

	private final DelayQueueOperations delayQueue;

	CountedQueues(DelayQueueOperations delayQueue) {
		this.delayQueue = delayQueue;
	}

	void schedule(String queue, int count, Duration delay) {
		List<ScheduleAnswer> answers = this.delayQueue.scheduleAll(IntStream.range(0, count)
			.mapToObj((i) -> ScheduleRequest.to(queue).payload("p" + i).delay(delay))
			.toList());
		assertThat(answers).allMatch(ScheduleAnswer::isAccepted);
	}

	/** The names of the counts, with others before and behind them. */
	static String[] with(String first, String... last) {
		return Stream.of(Stream.of(first), Stream.of(COUNTS), Stream.of(last))
			.flatMap((names) -> names)
			.toArray(String[]::new);
	}

}
