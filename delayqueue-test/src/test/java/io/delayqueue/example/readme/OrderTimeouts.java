package io.delayqueue.example.readme;

import io.delayqueue.DelayedListener;

import org.springframework.stereotype.Component;

@Component
class OrderTimeouts {

	private final Orders orders;

	OrderTimeouts(Orders orders) {
		this.orders = orders;
	}

	@DelayedListener(queue = "order-timeout")
	void close(OrderTimeout event) {
		this.orders.cancelIfUnpaid(event.orderId());
	}

}
