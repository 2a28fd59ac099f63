package io.delayqueue.example.timeouts;

import java.time.Clock;
import java.time.Duration;

import io.delayqueue.DelayQueueOperations;

import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

@Component
class Placement {

	private final Orders orders;

	private final DelayQueueOperations delayQueue;

	private final Clock clock;

	Placement(Orders orders, DelayQueueOperations delayQueue, Clock clock) {
		this.orders = orders;
		this.delayQueue = delayQueue;
		this.clock = clock;
	}

	@Transactional
	Order place(String id) {
		Order order = new Order(id, this.clock.instant().plus(Duration.ofMinutes(15)));
		this.orders.insert(order);
		this.delayQueue.scheduleAfterCommit(OrderTimeouts.of(order));
		return order;
	}

}
