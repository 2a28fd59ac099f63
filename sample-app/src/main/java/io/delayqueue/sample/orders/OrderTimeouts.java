package io.delayqueue.sample.orders;

import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;

/** The message of an order's timeout: its id is the order's id, its group is the user. */
final class OrderTimeouts {

	static final String QUEUE = "order-timeout";

	private OrderTimeouts() {
	}

	static ScheduleRequest of(Order order) {
		return ScheduleRequest.to(QUEUE)
			.id(order.id())
			.group(order.userId())
			.payload(new OrderTimeout(order.id()))
			.dueAt(order.dueAt());
	}

	static MessageKey keyOf(Order order) {
		return MessageKey.of(QUEUE, order.id()).inGroup(order.userId());
	}

}
