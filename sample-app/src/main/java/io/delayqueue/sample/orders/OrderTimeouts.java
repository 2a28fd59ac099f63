package io.delayqueue.sample.orders;

import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;

/**
 * Creates the timeout message of an order. The id of the message is the order's id, and
 * its group is the user.
 */
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
