package io.delayqueue.example.guides;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.example.guides.IdempotentListeners.Accounts;
import io.delayqueue.example.guides.IdempotentListeners.Bank;
import io.delayqueue.example.guides.IdempotentListeners.Bonus;
import io.delayqueue.example.guides.IdempotentListeners.Done;
import io.delayqueue.example.guides.IdempotentListeners.Orders;
import io.delayqueue.example.guides.IdempotentListeners.Payout;
import io.delayqueue.example.guides.Placement.OrderTable;
import io.delayqueue.example.guides.ReminderListener.Mailer;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/** The examples of the guides behave as described. */
@DelayQueueTest(properties = { "delayqueue.queues.payout.max-attempts=1" })
class GuidesTests {

	@Autowired
	private DelayQueueOperations operations;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	@MockitoBean
	private Mailer mailer;

	@MockitoBean
	private Orders orders;

	@MockitoBean
	private Bank bank;

	@MockitoBean
	private Done done;

	@MockitoBean
	private Accounts accounts;

	@Test
	void aRedeliveredMessageHasOneEffect() {
		Set<String> known = new HashSet<>();
		given(this.done.add(any())).willAnswer((call) -> known.add(call.getArgument(0)));
		Bonus bonus = new Bonus("a", 1);
		this.queues.queue("bonus").loseNextLeases(1);
		this.operations.schedule(ScheduleRequest.to("bonus").id("b-1").payload(bonus).delay(Duration.ofHours(1)));

		this.time.advance(Duration.ofHours(1));

		assertThat(this.queues.queue("bonus")).message("b-1").wasHandled().wasDeliveredTimes(2);
		verify(this.accounts, times(1)).credit(bonus);
	}

	@Test
	void theIdIsTheSameOnEveryDelivery() {
		Payout payout = new Payout("a", 1);
		this.queues.queue("payout").loseNextLeases(1);
		this.operations.schedule(ScheduleRequest.to("payout").id("payout-4711").payload(payout).delay(Duration.ZERO));

		this.time.advance(Duration.ZERO);

		verify(this.bank, times(2)).transfer(payout, "payout-4711");
	}

	@Test
	void assertions() {
		TestQueue orders = this.queues.queue("order-timeout");
		this.operations.schedule(Placement.timeoutOf("o-1"));
		assertThat(orders).hasScheduled("o-1").dueIn(Duration.ofMinutes(15));
		orders.loseNextLeases(1);
		this.time.advance(Duration.ofMinutes(15));
		assertThat(orders).message("o-1").wasHandled().wasDeliveredTimes(2);
	}

	@Test
	void assertionsOfOrder() {
		TestQueue orders = this.queues.queue("order-timeout");
		this.operations.schedule(Placement.timeoutOf("o-1"));
		this.time.advance(Duration.ofMinutes(1));
		this.operations.schedule(Placement.timeoutOf("o-2"));
		this.time.advance(Duration.ofMinutes(15));
		assertThat(orders).hasDelivered("o-1", "o-2").hasNo("o-3");
	}

	@Test
	void assertionsOfDeadLetters() {
		TestQueue orders = this.queues.queue("payout");
		willThrow(new IllegalStateException("no")).given(this.bank).transfer(any(), any());
		this.operations
			.schedule(ScheduleRequest.to("payout").id("o-1").payload(new Payout("a", 1)).delay(Duration.ZERO));
		this.time.advance(Duration.ZERO);
		assertThat(orders).message("o-1").isDeadLetteredBecause("HANDLER_FAILED");
	}

	@Test
	void reconciliationSchedulesOnce() {
		List<String> unpaid = new ArrayList<>();
		Placement placement = new Placement(new OrderTable() {

			@Override
			public void insert(String orderId) {
				unpaid.add(orderId);
			}

			@Override
			public List<String> unpaidOlderThan(Duration age) {
				return unpaid;
			}

		}, this.operations);
		placement.place("o-1");
		unpaid.add("o-2");
		placement.reconcile();

		this.time.advance(Duration.ofMinutes(15));

		assertThat(this.queues.queue("order-timeout").deliveries()).extracting((delivery) -> delivery.id())
			.containsExactlyInAnyOrder("o-1", "o-2");
		verify(this.orders).cancelIfUnpaid("o-2");
	}

	@Test
	void allMessagesOfASortedSetAreMoved(@Autowired StringRedisTemplate redis) {
		Instant due = this.time.now().plus(Duration.ofDays(1));
		for (int i = 0; i < 1200; i++) {
			redis.opsForZSet().add("timeouts", "t-" + i, due.toEpochMilli() + i);
		}
		new Mover(redis, this.operations).moveAll();
		assertThat(redis.hasKey("timeouts")).isFalse();
		assertThat(this.queues.queue("timeouts")).hasScheduled("t-1199")
			.dueAt(Instant.ofEpochMilli(due.toEpochMilli() + 1199));
	}

}
