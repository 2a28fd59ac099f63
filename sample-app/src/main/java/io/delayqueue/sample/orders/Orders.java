package io.delayqueue.sample.orders;

import java.time.Duration;
import java.time.Instant;

import io.delayqueue.sample.orders.Order.ClosedBy;
import io.delayqueue.sample.orders.Order.Status;
import org.jspecify.annotations.Nullable;

/**
 * Operations on orders and their timeouts. Every call may be repeated.
 */
interface Orders {

	/**
	 * Places an order and its timeout. Rounds the time to pay up to whole ms.
	 * @param id the order's id
	 * @param userId whose order it is
	 * @param payWithin from 0 to the longest delay of the queue
	 * @return the new order
	 * @throws org.springframework.web.ErrorResponseException if the id exists, or the
	 * user's quota is used up
	 */
	Order place(String id, String userId, Duration payWithin);

	/**
	 * Closes an order by a compare-and-set if it is UNPAID and, for TIMEOUT, due. PAYMENT
	 * and USER also cancel its timeout.
	 * @param id the order's id
	 * @param status PAID or CANCELLED
	 * @param closedBy the cause
	 * @return the outcome and the order
	 */
	Closing close(String id, Status status, ClosedBy closedBy);

	/**
	 * Marks an open order whose timeout was dead-lettered.
	 * @param id the order's id
	 */
	void flag(String id);

	/**
	 * Finds an order.
	 * @param id the order's id
	 * @return the order; {@code null} if there is none
	 */
	@Nullable Order find(String id);

	/**
	 * Finds the newest orders of a user, or with a status, or both, or of all.
	 * @param userId the user; {@code null} for all
	 * @param status the status; {@code null} for all
	 * @param limit the most orders of the page
	 * @return the orders, newest first
	 */
	OrderPage search(@Nullable String userId, @Nullable Status status, int limit);

	/**
	 * Reads the clock that the times of orders come from.
	 * @return its time, in whole ms
	 */
	Instant now();

}
