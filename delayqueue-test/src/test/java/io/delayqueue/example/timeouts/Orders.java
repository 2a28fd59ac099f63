package io.delayqueue.example.timeouts;

import java.time.Instant;
import java.util.List;

/** The table of orders. */
interface Orders {

	void insert(Order order);

	/** Returns whether the order was unpaid. */
	boolean markPaid(String id);

	/** Returns whether the order was unpaid. */
	boolean cancelIfUnpaid(String id);

	List<Order> unpaidPlacedBefore(Instant instant, int limit);

}
