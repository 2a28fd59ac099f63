package io.delayqueue.example.timeouts;

import java.time.Instant;
import java.util.List;

/** A table, and its statements. */
interface Orders {

	void insert(Order order);

	/** Whether it was unpaid. */
	boolean markPaid(String id);

	/** Whether it was unpaid. */
	boolean cancelIfUnpaid(String id);

	List<Order> unpaidPlacedBefore(Instant instant, int limit);

}
