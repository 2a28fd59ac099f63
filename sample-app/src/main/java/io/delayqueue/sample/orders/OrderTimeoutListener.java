package io.delayqueue.sample.orders;

import io.delayqueue.DelayedListener;
import io.delayqueue.sample.orders.Order.ClosedBy;
import io.delayqueue.sample.orders.Order.Status;
import io.delayqueue.sample.orders.OrderStore.Closing;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

/** Cancels the order whose time to pay is up. May be called any number of times. */
@Component
final class OrderTimeoutListener {

	private static final Logger logger = LoggerFactory.getLogger(OrderTimeoutListener.class);

	private final OrderStore store;

	OrderTimeoutListener(OrderStore store) {
		this.store = store;
	}

	@DelayedListener(queue = OrderTimeouts.QUEUE)
	void close(OrderTimeout event) {
		Closing closing = this.store.close(event.orderId(), Status.CANCELLED, ClosedBy.TIMEOUT);
		switch (closing.outcome()) {
			case CLOSED -> logger.debug("Order '{}' was not paid in time and is cancelled", event.orderId());
			case CLOSED_BEFORE -> logger.debug("Order '{}' was closed before its timeout", event.orderId());
			case UNKNOWN -> logger.debug("Order '{}' is not known any more", event.orderId());
			// the message is an older order's, or the clock of Redis has gone back
			case NOT_DUE -> logger.info("Order '{}' is not due yet; its timeout is scheduled again", event.orderId());
		}
	}

}
