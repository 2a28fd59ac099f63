package io.delayqueue.sample.orders;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.sample.orders.Order.ClosedBy;
import io.delayqueue.sample.orders.Order.Status;
import io.delayqueue.sample.orders.OrderStore.Abandoned;
import io.delayqueue.sample.orders.OrderStore.Placement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/**
 * Stores orders in Redis. Every call of this class may be repeated: a repeat completes an
 * interrupted call, and changes nothing after a complete call.
 */
@Service
@Profile("!database")
final class OrdersInRedis implements Orders {

	private static final Logger logger = LoggerFactory.getLogger(OrdersInRedis.class);

	private final OrderStore store;

	private final DelayQueueOperations delayQueue;

	OrdersInRedis(OrderStore store, DelayQueueOperations delayQueue) {
		this.store = store;
		this.delayQueue = delayQueue;
	}

	/**
	 * Places an order, in three steps:
	 * <ol>
	 * <li>the order is stored with its due time, and is invisible to callers at
	 * first;</li>
	 * <li>the timeout message is scheduled for the due time under the order's id; the
	 * queue checks the user's quota;</li>
	 * <li>the order is accepted and becomes visible to callers.</li>
	 * </ol>
	 * An order whose timeout message is refused is removed before the response. A caller
	 * that gets no response repeats the request, and the repeat completes the order;
	 * without a repeat, {@link OrderReconciler} completes the order. Of concurrent equal
	 * requests the last request takes the order over, and the other requests fail as
	 * duplicates.
	 */
	@Override
	public Order place(String id, String userId, Duration payWithin) {
		return place(id, userId, payWithin, true);
	}

	/** Completes an interrupted request: places its order again. */
	void finish(Abandoned request) {
		place(request.id(), request.userId(), request.payWithin(), false);
	}

	private Order place(String id, String userId, Duration payWithin, boolean answered) {
		String request = UUID.randomUUID().toString();
		Placement placement = this.store.place(id, userId, payWithin, request);
		if (placement.isTaken()) {
			throw OrderProblems.duplicate(id);
		}
		try {
			this.delayQueue.schedule(OrderTimeouts.of(placement.order()));
		}
		catch (QuotaExceededException ex) {
			this.store.withdraw(id, request);
			throw OrderProblems.quotaExceeded(userId, ex.quota());
		}
		catch (InvalidMessageException | QueueDrainingException ex) {
			this.store.withdraw(id, request);
			throw ex;
		}
		if (!this.store.accept(id, request, answered)) {
			throw OrderProblems.duplicate(id);
		}
		return placement.order();
	}

	@Override
	public Closing close(String id, Status status, ClosedBy closedBy) {
		Closing closing = this.store.close(id, status, closedBy);
		Order order = closing.order();
		if (closedBy != ClosedBy.TIMEOUT && order != null && order.closedBy() != ClosedBy.TIMEOUT) {
			cancelTimeout(order);
		}
		return closing;
	}

	@Override
	public void flag(String id) {
		this.store.flag(id);
	}

	@Override
	public @Nullable Order find(String id) {
		return this.store.find(id);
	}

	@Override
	public OrderPage search(@Nullable String userId, @Nullable Status status, int limit) {
		return this.store.search(userId, status, limit);
	}

	@Override
	public Instant now() {
		return this.store.now();
	}

	/**
	 * Cancels the timeout message of an order, which frees a slot of the user's quota. If
	 * the cancel fails, {@link OrderReconciler} cancels the message later.
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

}
