package io.delayqueue.delivery;

import java.util.List;
import java.util.function.Consumer;

/**
 * Runs the handler of one consumer, and decides by how it ended what becomes of the
 * messages. Safe for use by several threads.
 */
interface HandlerInvoker {

	/**
	 * Runs the handler.
	 * @param tasks the deliveries that are handed over together
	 * @param end is given the settlement of each when the handler has ended: perhaps
	 * later, and by another thread
	 */
	void run(List<DeliveryTask> tasks, Consumer<Settlement> end);

}
