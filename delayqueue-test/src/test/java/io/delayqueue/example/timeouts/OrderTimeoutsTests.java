package io.delayqueue.example.timeouts;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/** The examples of the guide behave as described. */
@DelayQueueTest(properties = "spring.config.location=classpath:guides/order-timeouts.yml")
@ExtendWith(OutputCaptureExtension.class)
class OrderTimeoutsTests {

	@Autowired
	private OrderTable orders;

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	private TestQueue queue;

	private Checkout checkout;

	private RepairService repairService;

	@BeforeEach
	void shop() {
		this.orders.status.clear();
		this.queue = this.queues.queue("order-timeout");
		this.checkout = checkout(this.delayQueue);
		this.repairService = new RepairService(this.orders, this.delayQueue, this.time.clock());
	}

	@Test
	void unpaidOrderIsCancelled() {
		this.checkout.place("o-1");
		assertThat(this.queue).hasScheduled("o-1");
		this.time.advance(Duration.ofMinutes(15));
		assertThat(this.orders.status).containsEntry("o-1", "CANCELLED");
		assertThat(this.checkout.pay("o-1")).isFalse();
	}

	@Test
	void paidOrderStaysPaid() {
		this.checkout.place("o-1");
		this.time.advance(Duration.ofMinutes(14));
		assertThat(this.checkout.pay("o-1")).isTrue();
		assertThat(this.queue).hasNo("o-1");
		this.time.advance(Duration.ofMinutes(15));
		assertThat(this.queue).hasDeliveredNothing();
		assertThat(this.orders.status).containsEntry("o-1", "PAID");
	}

	@Test
	void aTimeoutDeliveredTwiceOrAfterThePaymentDoesNothing() {
		this.checkout.place("o-1");
		this.queue.loseNextLeases(1);
		this.time.advance(Duration.ofMinutes(15));
		assertThat(this.queue).message("o-1").wasHandled().wasDeliveredTimes(2);
		this.checkout.place("o-2");
		this.orders.markPaid("o-2");
		this.time.advance(Duration.ofMinutes(15));
		assertThat(this.orders.status).containsEntry("o-1", "CANCELLED").containsEntry("o-2", "PAID");
	}

	@Test
	void paymentsSucceedWithoutRedis() {
		this.checkout.place("o-1");
		assertThat(checkout(away()).pay("o-1")).isTrue();
		this.time.advance(Duration.ofMinutes(15));
		assertThat(this.orders.status).containsEntry("o-1", "PAID");
	}

	@Test
	void anOrderPlacedWithoutRedisIsCancelledInTime() {
		checkout(away()).place("o-1");
		assertThat(this.queue).hasNo("o-1");
		this.time.advance(Duration.ofMinutes(5));
		this.repairService.run();
		assertThat(this.queue).hasScheduled("o-1").dueIn(Duration.ofMinutes(10));
		this.time.advance(Duration.ofMinutes(10));
		assertThat(this.orders.status).containsEntry("o-1", "CANCELLED");
	}

	@Test
	void repairAfterALongOutageCancelsAtOnce() {
		checkout(away()).place("o-1");
		this.time.advance(Duration.ofHours(2));
		this.repairService.run();
		this.time.advance(Duration.ZERO);
		assertThat(this.orders.status).containsEntry("o-1", "CANCELLED");
	}

	@Test
	void repairKeepsExistingTimeoutsAndReportsDeadLetters(CapturedOutput output) {
		this.checkout.place("o-1");
		this.time.advance(Duration.ofMinutes(5));
		this.repairService.run();
		assertThat(this.queue).hasScheduled("o-1").dueIn(Duration.ofMinutes(10));
		this.queue.failNext(12);
		this.time.advance(Duration.ofHours(2));
		assertThat(this.queue).message("o-1").isDeadLetteredBecause("HANDLER_FAILED");
		this.repairService.run();
		assertThat(this.queue).message("o-1").isDeadLetteredBecause("HANDLER_FAILED");
		assertThat(output).contains("The timeout of order 'o-1' is a dead letter");
	}

	private Checkout checkout(DelayQueueOperations operations) {
		return new Checkout(new Placement(this.orders, operations, this.time.clock()), this.orders, operations);
	}

	private static DelayQueueOperations away() {
		DelayQueueOperations away = mock(DelayQueueOperations.class);
		DelayQueueUnavailableException failure = new DelayQueueUnavailableException("away", "order-timeout", null,
				null);
		given(away.scheduleAfterCommit(any())).willThrow(failure);
		willThrow(failure).given(away).cancel(any(String.class), any(String.class));
		return away;
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Tables {

		@Bean
		OrderTable orders() {
			return new OrderTable();
		}

	}

	static final class OrderTable implements Orders {

		private final Map<String, Instant> placed = new LinkedHashMap<>();

		private final Map<String, String> status = new LinkedHashMap<>();

		@Override
		public synchronized void insert(Order order) {
			this.placed.put(order.id(), order.payUntil());
			this.status.put(order.id(), "UNPAID");
		}

		@Override
		public synchronized boolean markPaid(String id) {
			return this.status.replace(id, "UNPAID", "PAID");
		}

		@Override
		public synchronized boolean cancelIfUnpaid(String id) {
			return this.status.replace(id, "UNPAID", "CANCELLED");
		}

		@Override
		public synchronized List<Order> unpaidPlacedBefore(Instant instant, int limit) {
			List<Order> unpaid = new ArrayList<>();
			this.status.forEach((id, is) -> {
				Order order = new Order(id, this.placed.get(id));
				if (is.equals("UNPAID") && order.payUntil().isBefore(instant.plus(Duration.ofMinutes(15)))) {
					unpaid.add(order);
				}
			});
			return unpaid;
		}

	}

}
