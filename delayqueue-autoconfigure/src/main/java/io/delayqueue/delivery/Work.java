package io.delayqueue.delivery;

import java.util.List;

/**
 * What a worker takes at once.
 */
sealed interface Work permits DeliveryTask, Batch {

	/** The deliveries, at least one. */
	List<DeliveryTask> tasks();

}
