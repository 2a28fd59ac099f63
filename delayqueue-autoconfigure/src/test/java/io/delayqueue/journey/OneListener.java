package io.delayqueue.journey;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.journey.Listeners.Order;

/**
 * An application with one listener.
 */
class OneListener {

	final Handled handled = new Handled();

	@DelayedListener(queue = "orders")
	void order(DelayedMessage<Order> message) {
		this.handled.add(message);
	}

}
