package io.delayqueue.delivery;

import java.util.Comparator;
import java.util.List;

/**
 * Deliveries that are handed over together, ordered by due time and then by id.
 *
 * @param tasks the deliveries, at least one
 */
record Batch(List<DeliveryTask> tasks) implements Work {

	private static final Comparator<DeliveryTask> ORDER = Comparator.comparingLong(DeliveryTask::dueMillis)
		.thenComparing(DeliveryTask::id);

	Batch {
		tasks = tasks.stream().sorted(ORDER).toList();
	}

}
