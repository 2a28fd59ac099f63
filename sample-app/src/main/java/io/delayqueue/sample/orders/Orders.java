package io.delayqueue.sample.orders;

import java.time.Duration;
import java.util.UUID;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.sample.orders.Order.ClosedBy;
import io.delayqueue.sample.orders.Order.Status;
import io.delayqueue.sample.orders.OrderStore.Abandoned;
import io.delayqueue.sample.orders.OrderStore.Closing;
import io.delayqueue.sample.orders.OrderStore.Placement;
import io.delayqueue.sample.web.Problems;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;
import org.springframework.web.ErrorResponseException;

/**
 * Operations on orders. Every call may be repeated: a repeat completes an interrupted
 * call, and changes nothing after a complete call.
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
	 * <li>the order is stored, which fixes its due time, and is invisible at first;</li>
	 * <li>the timeout is scheduled for the due time, under the order's id, which checks
	 * the user's quota;</li>
	 * <li>the order is accepted and becomes visible.</li>
	 * </ol>
	 * An order whose timeout is refused is removed before the response. A caller without
	 * a response repeats the request, which completes the order; without a repeat,
	 * {@link OrderReconciler} completes it. Of concurrent equal requests the last request
	 * takes the order over, and the other requests are duplicates.
	 * @param id the order's id
	 * @param userId whose order it is
	 * @param payWithin from 0 to the longest delay of the queue
	 * @return the new order
	 */
	Order place(String id, String userId, Duration payWithin) {
		return place(id, userId, payWithin, true);
	}

	/** Places an order whose request was interrupted. */
	void finish(Abandoned request) {
		place(request.id(), request.userId(), request.payWithin(), false);
	}

	private Order place(String id, String userId, Duration payWithin, boolean answered) {
		String request = UUID.randomUUID().toString();
		Placement placement = this.store.place(id, userId, payWithin, request);
		if (placement.isTaken()) {
			throw duplicate(id);
		}
		try {
			this.delayQueue.schedule(OrderTimeouts.of(placement.order()));
		}
		catch (QuotaExceededException ex) {
			this.store.withdraw(id, request);
			throw Problems.conflict("quota-exceeded",
					"User '" + userId + "' has " + ex.quota() + " unpaid orders already, which is the maximum");
		}
		catch (InvalidMessageException | QueueDrainingException ex) {
			this.store.withdraw(id, request);
			throw ex;
		}
		if (!this.store.accept(id, request, answered)) {
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
		if (closing.order().closedBy() != ClosedBy.TIMEOUT) {
			cancelTimeout(closing.order());
		}
		return closing.order();
	}

	/**
	 * Frees the slot in the user's quota; after a failure {@link OrderReconciler} frees
	 * it later.
	 */
	private void cancelTimeout(Order order) {
		try {
			this.delayQueue.cancel(OrderTimeouts.keyOf(order));
		}
		catch (DelayQueueException ex) {
			logger.warn("The timeout of order '{}' stays scheduled for now and will have no effect: {}", order.id(),
					ex.toString());
		}
	}

	private static ErrorResponseException duplicate(String id) {
		return Problems.conflict("duplicate-order", "Order '" + id + "' exists already");
	}

	private static ErrorResponseException unknown(String id) {
		return Problems.notFound("unknown-order", "There is no order '" + id + "'");
	}

}
