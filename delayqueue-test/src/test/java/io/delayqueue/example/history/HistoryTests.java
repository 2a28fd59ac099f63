package io.delayqueue.example.history;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageEnd.How;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/** The history returns the ends that docs/failures.md describes. */
@DelayQueueTest(properties = "spring.config.location=classpath:guides/history.yml")
@Import(Answers.class)
class HistoryTests {

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private Answers answers;

	@Autowired
	private DelayQueueTime time;

	@Test
	void aCancelledMessageIsFoundInTheHistory() {
		String waiting = schedule();
		assertThat(this.answers.whatHappenedTo(waiting)).isEqualTo(MessageState.SCHEDULED.name());

		// The history begins when the owner of the partition has stored its setting
		Awaitility.await().until(() -> {
			String id = schedule();
			this.delayQueue.cancel("order-timeout", id);
			return this.answers.whatHappenedTo(id).startsWith("CANCELLED at ");
		});

		assertThat(this.answers.latestEnds()).isNotEmpty()
			.allSatisfy((message) -> assertThat(message.state()).isEqualTo(MessageState.FINISHED))
			.extracting(MessageSnapshot::end)
			.allSatisfy((end) -> assertThat(end.how()).isEqualTo(How.CANCELLED));
		assertThat(this.answers.whatHappenedTo("another")).isEqualTo("unknown");
	}

	@Test
	void theHistoryKeepsTheTimeOfTheTest() {
		this.time.advance(Duration.ofDays(30));
		Instant before = this.time.now();
		Awaitility.await().until(() -> {
			String id = schedule();
			this.delayQueue.cancel("order-timeout", id);
			return this.answers.whatHappenedTo(id).startsWith("CANCELLED at ");
		});
		assertThat(this.answers.latestEnds().get(0).end().at()).isAfterOrEqualTo(before);
	}

	private String schedule() {
		String id = UUID.randomUUID().toString();
		this.delayQueue.schedule(ScheduleRequest.to("order-timeout").id(id).payload("order").delay(Duration.ofDays(1)));
		return id;
	}

}
