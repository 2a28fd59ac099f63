package io.delayqueue.example.guides;

import java.time.Duration;
import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;

class Placement {

	private final OrderTable orders;

	private final DelayQueueOperations delayQueue;

	Placement(OrderTable orders, DelayQueueOperations delayQueue) {
		this.orders = orders;
		this.delayQueue = delayQueue;
	}

	@Transactional
	void place(String orderId) {
		this.orders.insert(orderId);
		this.delayQueue.scheduleAfterCommit(timeoutOf(orderId));
	}

	static ScheduleRequest timeoutOf(String orderId) {
		return ScheduleRequest.to("order-timeout").id(orderId).payload(orderId).delay(Duration.ofMinutes(15));
	}

	@Scheduled(fixedDelayString = "PT5M")
	void reconcile() {
		this.orders.unpaidOlderThan(Duration.ofMinutes(20))
			.forEach((orderId) -> this.delayQueue.schedule(timeoutOf(orderId)));
	}

	interface OrderTable {

		void insert(String orderId);

		List<String> unpaidOlderThan(Duration age);

	}

}
