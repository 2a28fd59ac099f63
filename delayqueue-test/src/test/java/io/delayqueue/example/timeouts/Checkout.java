package io.delayqueue.example.timeouts;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.ScheduleOutcomeUnknownException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

@Component
class Checkout {

	private static final Logger logger = LoggerFactory.getLogger(Checkout.class);

	private final Placement placement;

	private final Orders orders;

	private final DelayQueueOperations delayQueue;

	Checkout(Placement placement, Orders orders, DelayQueueOperations delayQueue) {
		this.placement = placement;
		this.orders = orders;
		this.delayQueue = delayQueue;
	}

	void place(String id) {
		try {
			this.placement.place(id);
		}
		catch (DelayQueueUnavailableException | ScheduleOutcomeUnknownException ex) {
			// thrown after the commit: the order stands, its timeout is for the repair
			// service
			logger.warn("The timeout of order '{}' is scheduled later: {}", id, ex.getMessage());
		}
	}

	boolean pay(String id) {
		// update orders set status = 'PAID' where id = ? and status = 'UNPAID'
		if (!this.orders.markPaid(id)) {
			return false; // its timeout was faster
		}
		try {
			this.delayQueue.cancel("order-timeout", id);
		}
		catch (DelayQueueException ex) {
			logger.info("The timeout of order '{}' stays and will find nothing to do: {}", id, ex.getMessage());
		}
		return true;
	}

}
