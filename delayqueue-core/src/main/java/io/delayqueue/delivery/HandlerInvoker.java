package io.delayqueue.delivery;

import java.util.List;
import java.util.function.Consumer;

/**
 * Calls the handler of one consumer and passes on the settlements that follow from its
 * outcome. Safe for use by several threads.
 */
interface HandlerInvoker {

	/**
	 * Calls the handler.
	 * @param tasks the deliveries of this call
	 * @param end takes the settlement of each delivery when the handler has ended:
	 * perhaps later, and on another thread
	 */
	void run(List<DeliveryTask> tasks, Consumer<Settlement> end);

}
