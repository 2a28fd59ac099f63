package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.store.Partition;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries that this consumer holds, from the read until they are settled. Safe for
 * use by several threads.
 */
final class InFlight {

	private final Map<String, DeliveryTask> tasks = new ConcurrentHashMap<>();

	void add(DeliveryTask task) {
		this.tasks.put(key(task.partition(), task.entry()), task);
	}

	void remove(DeliveryTask task) {
		this.tasks.remove(key(task.partition(), task.entry()));
	}

	@Nullable DeliveryTask find(Partition partition, String entry) {
		return this.tasks.get(key(partition, entry));
	}

	/** The deliveries of a partition at this moment. */
	List<DeliveryTask> of(Partition partition) {
		List<DeliveryTask> held = new ArrayList<>();
		this.tasks.values().forEach((task) -> {
			if (task.partition().equals(partition)) {
				held.add(task);
			}
		});
		return held;
	}

	/** How many there are in all partitions. */
	int size() {
		return this.tasks.size();
	}

	private static String key(Partition partition, String entry) {
		return partition.number() + "/" + entry;
	}

}
