package io.delayqueue.sample.orders;

import java.time.Duration;
import java.util.UUID;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.sample.orders.Order.ClosedBy;
import io.delayqueue.sample.orders.Order.Status;
import io.delayqueue.sample.orders.OrderStore.Closing;
import io.delayqueue.sample.orders.OrderStore.Placement;
import io.delayqueue.sample.web.Problems;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;
import org.springframework.web.ErrorResponseException;

/**
 * What can be done with orders. Every call may be repeated: it is finished by the repeat
 * if it was interrupted, and changes nothing if it was not.
 */
@Service
final class Orders {

	private static final Logger logger = LoggerFactory.getLogger(Orders.class);

	private final OrderStore store;

	private final DelayQueueOperations delayQueue;

	Orders(OrderStore store, DelayQueueOperations delayQueue) {
		this.store = store;
		this.delayQueue = delayQueue;
	}

	/**
	 * Places an order, in three steps:
	 * <ol>
	 * <li>the order is stored, which fixes its due time;</li>
	 * <li>its timeout is scheduled for that very instant, under the order's id;</li>
	 * <li>the order is claimed for the answer to this call.</li>
	 * </ol>
	 * A caller who was not answered repeats the request and completes the order that was
	 * left unclaimed; without a repeat {@link OrderUpkeep} does the second step. Of two
	 * equal requests at once, one claims the order and the other one is a duplicate.
	 * @param id the order's id
	 * @param userId whose order it is
	 * @param payWithin from 0 to the longest delay of the queue
	 * @return the new order
	 */
	Order place(String id, String userId, Duration payWithin) {
		Placement placement = this.store.place(id, userId, payWithin);
		if (placement.isTaken()) {
			throw duplicate(id);
		}
		try {
			this.delayQueue.schedule(OrderTimeouts.of(placement.order()));
		}
		catch (InvalidMessageException ex) {
			this.store.withdraw(id);
			throw ex;
		}
		if (!this.store.claim(id, UUID.randomUUID().toString())) {
			throw duplicate(id);
		}
		return placement.order();
	}

	Order pay(String id) {
		Order order = close(id, Status.PAID, ClosedBy.PAYMENT);
		if (order.status() != Status.PAID) {
			throw Problems.conflict("order-cancelled", "Order '" + id + "' was cancelled and cannot be paid");
		}
		return order;
	}

	Order cancel(String id) {
		Order order = close(id, Status.CANCELLED, ClosedBy.USER);
		if (order.status() != Status.CANCELLED) {
			throw Problems.conflict("order-paid", "Order '" + id + "' was paid and cannot be cancelled");
		}
		return order;
	}

	Order find(String id) {
		Order order = this.store.find(id);
		if (order == null) {
			throw unknown(id);
		}
		return order;
	}

	OrderPage search(@Nullable String userId, @Nullable Status status, int limit) {
		return this.store.search(userId, status, limit);
	}

	private Order close(String id, Status status, ClosedBy closedBy) {
		Closing closing = this.store.close(id, status, closedBy);
		if (closing.order() == null) {
			throw unknown(id);
		}
		if (closing.outcome() == Closing.Outcome.CLOSED) {
			cancelTimeout(closing.order());
		}
		return closing.order();
	}

	/** A timeout that stays behind finds the order closed and does nothing. */
	private void cancelTimeout(Order order) {
		try {
			this.delayQueue.cancel(OrderTimeouts.keyOf(order));
		}
		catch (DelayQueueException ex) {
			logger.warn("The timeout of order '{}' stays scheduled and will change nothing: {}", order.id(),
					ex.toString());
		}
	}

	private static ErrorResponseException duplicate(String id) {
		return Problems.conflict("duplicate-order", "Order '" + id + "' is known already");
	}

	private static ErrorResponseException unknown(String id) {
		return Problems.notFound("unknown-order", "There is no order '" + id + "'");
	}

}
