package io.delayqueue.sample.orders;

import java.time.Duration;
import java.time.Instant;

import io.delayqueue.sample.orders.Order.ClosedBy;
import io.delayqueue.sample.orders.Order.Status;
import org.jspecify.annotations.Nullable;

/**
 * Operations on orders and on the messages of their timeouts. Every call may be repeated.
 */
interface Orders {

	/**
	 * Stores an order, and schedules the message of its timeout. The time to pay is
	 * rounded up to whole ms.
	 * @param id the order's id
	 * @param userId the user of the order
	 * @param payWithin the time to pay, from 0 to the longest delay of the queue
	 * @return the new order
	 * @throws org.springframework.web.ErrorResponseException if an order with this id
	 * exists, or the user's quota is used up
	 */
	Order place(String id, String userId, Duration payWithin);

	/**
	 * Closes an order by a compare-and-set if it is UNPAID. A closing by TIMEOUT also
	 * requires that the order is due. A closing by PAYMENT or USER also cancels the
	 * timeout message of the order.
	 * @param id the order's id
	 * @param status PAID or CANCELLED
	 * @param closedBy what closes the order
	 * @return the outcome and the stored order
	 */
	Closing close(String id, Status status, ClosedBy closedBy);

	/**
	 * Marks an open order whose timeout message was dead-lettered.
	 * @param id the order's id
	 */
	void flag(String id);

	/**
	 * Finds an order.
	 * @param id the order's id
	 * @return the order; {@code null} if no order has this id
	 */
	@Nullable Order find(String id);

	/**
	 * Finds the newest orders of all users or one user, with any status or one status.
	 * @param userId the user; {@code null} for all users
	 * @param status the status; {@code null} for any status
	 * @param limit the maximum number of orders on the page
	 * @return the orders, newest first
	 */
	OrderPage search(@Nullable String userId, @Nullable Status status, int limit);

	/**
	 * {@return the time of the clock that sets the times of orders, in whole ms}
	 */
	Instant now();

}
