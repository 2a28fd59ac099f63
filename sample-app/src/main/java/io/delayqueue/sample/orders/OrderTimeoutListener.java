package io.delayqueue.sample.orders;

import java.time.Duration;
import java.util.Objects;

import io.delayqueue.DeferException;
import io.delayqueue.DelayedListener;
import io.delayqueue.event.MessageDeadLetteredEvent;
import io.delayqueue.sample.orders.Order.ClosedBy;
import io.delayqueue.sample.orders.Order.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Cancels an order whose time to pay has passed. A redelivery of the message changes
 * nothing.
 */
@Component
final class OrderTimeoutListener {

	private static final Logger logger = LoggerFactory.getLogger(OrderTimeoutListener.class);

	private final Orders orders;

	OrderTimeoutListener(Orders orders) {
		this.orders = orders;
	}

	@DelayedListener(queue = OrderTimeouts.QUEUE)
	void close(OrderTimeout event) {
		Closing closing = this.orders.close(event.orderId(), Status.CANCELLED, ClosedBy.TIMEOUT);
		switch (closing.outcome()) {
			case CLOSED -> logger.debug("Order '{}' was not paid in time and is cancelled", event.orderId());
			case CLOSED_BEFORE -> logger.debug("Order '{}' was closed before its timeout", event.orderId());
			case UNKNOWN -> logger.debug("Order '{}' does not exist any more", event.orderId());
			// The message may be delivered before the order is due for three reasons: the
			// clock of Redis has gone back; the clock of Redis is ahead of the clock of
			// the database; or the message was scheduled for a refused order with the
			// same id, and the message of this order was rejected as a duplicate
			case NOT_DUE -> throw new DeferException(
					Duration.between(this.orders.now(), Objects.requireNonNull(closing.order()).dueAt()).plusMillis(1));
		}
	}

	/**
	 * Marks an order whose timeout message was dead-lettered. The order stays open until
	 * an operator acts.
	 */
	@EventListener
	void flag(MessageDeadLetteredEvent event) {
		if (event.queue().equals(OrderTimeouts.QUEUE)) {
			this.orders.flag(event.id());
		}
	}

}
