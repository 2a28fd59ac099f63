package io.delayqueue.example.readme;

import java.time.Duration;
import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.PurgeResult;
import io.delayqueue.example.readme.Reports.Partner;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Dead letters are redriven, and a queue is controlled, as docs/failures.md shows. */
@DelayQueueTest
@Import({ Orders.class, Operator.class })
@MockitoBean(types = Partner.class)
class OperatorTests {

	@Autowired
	private Operator operator;

	@Autowired
	private Orders orders;

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private DelayQueueAdmin admin;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	private TestQueue queue;

	@BeforeEach
	void queue() {
		this.queue = this.queues.queue("order-timeout");
	}

	@Test
	void deadLettersAreSpreadOverFiveMinutes() {
		die("o-1", "o-2");
		assertThat(this.operator.deadLetters().deadLetters()).extracting(DeadLetter::id)
			.containsExactlyInAnyOrder("o-1", "o-2");
		assertThat(this.operator.redrive()).isEqualTo(2);
		assertThat(this.operator.deadLetters().deadLetters()).isEmpty();
		this.time.advance(Duration.ZERO);
		assertThat(List.of("o-1", "o-2")).anySatisfy((id) -> assertThat(this.queue).hasScheduled(id));
		this.time.advance(Duration.ofMinutes(5));
		assertThat(this.queue).message("o-1").wasHandled();
		assertThat(this.queue).message("o-2").wasHandled();
	}

	@Test
	void aPausedQueueAcceptsMessagesAndDeliversNone() {
		assertThat(this.operator.pause().isPaused()).isTrue();
		this.orders.place("o-1");
		this.time.advance(Duration.ofHours(1));
		assertThat(this.queue).hasDeliveredNothing();
		assertThat(this.admin.resume("order-timeout").isPaused()).isFalse();
		this.time.advance(Duration.ZERO);
		assertThat(this.orders.find("o-1").isCancelled()).isTrue();
	}

	@Test
	void aHeldQueueDeliversItsMessagesAfterTheHold() {
		this.orders.place("o-1");
		this.time.advance(Duration.ofMinutes(14));
		assertThat(this.operator.hold().why()).isEqualTo("the shop is being updated");
		this.time.advance(Duration.ofMinutes(29));
		assertThat(this.queue).hasDeliveredNothing();
		this.time.advance(Duration.ofMinutes(1));
		assertThat(this.orders.find("o-1").isCancelled()).isTrue();
	}

	@Test
	void aDrainingQueueRejectsMessagesAndDeliversTheStoredOnes() {
		this.orders.place("o-1");
		assertThat(this.operator.drain().isDraining()).isTrue();
		assertThatExceptionOfType(QueueDrainingException.class).isThrownBy(() -> this.orders.place("o-2"));
		this.time.advance(Duration.ofMinutes(15));
		assertThat(this.orders.find("o-1").isCancelled()).isTrue();
		assertThat(this.admin.reopen("order-timeout").isDraining()).isFalse();
		this.orders.place("o-2");
	}

	@Test
	void purgeLeavesDeadLetters() {
		die("o-1");
		this.delayQueue.schedule(order("o-2"));
		PurgeResult purged = this.operator.purge();
		assertThat(purged.waiting()).isEqualTo(1);
		assertThat(purged.deadLetters()).isZero();
		assertThat(this.queue).hasNo("o-2").message("o-1").isDeadLetteredBecause("HANDLER_FAILED");
		assertThat(this.admin.purgeWithDeadLetters("order-timeout").deadLetters()).isEqualTo(1);
		assertThat(this.queue).hasNo("o-1");
	}

	private void die(String... ids) {
		this.queue.failNext(5 * ids.length);
		for (String id : ids) {
			this.delayQueue.schedule(order(id));
		}
		this.time.advance(Duration.ofHours(1));
	}

	private static ScheduleRequest order(String id) {
		return ScheduleRequest.to("order-timeout").id(id).payload(new OrderTimeout(id)).delay(Duration.ofMinutes(15));
	}

}
