package io.delayqueue.example.timeouts;

import io.delayqueue.DelayedListener;
import io.delayqueue.ScheduleRequest;

import org.springframework.stereotype.Component;

@Component
class OrderTimeouts {

	private final Orders orders;

	OrderTimeouts(Orders orders) {
		this.orders = orders;
	}

	static ScheduleRequest of(Order order) {
		return ScheduleRequest.to("order-timeout").id(order.id()).payload(order.id()).dueAt(order.payUntil());
	}

	@DelayedListener(queue = "order-timeout")
	void cancel(String orderId) {
		// update orders set status = 'CANCELLED' where id = ? and status = 'UNPAID'
		this.orders.cancelIfUnpaid(orderId);
	}

}
