package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.delayqueue.delivery.HandlerThreads.Threads;
import org.jspecify.annotations.Nullable;

/**
 * Workers, and the deliveries that wait for these workers.
 *
 * @param batcher collects deliveries to batches, {@code null} if each delivery is a call
 * of its own
 * @param workers call the handler
 * @param threads run the workers
 */
record WorkerPool(@Nullable Batcher batcher, Workers workers, Threads threads) {

	/** Adds deliveries, and returns those of each call that can begin now. */
	List<List<DeliveryTask>> add(List<DeliveryTask> tasks) {
		return (this.batcher != null) ? this.batcher.add(tasks) : tasks.stream().map(List::of).toList();
	}

	List<DeliveryTask> takeUnstarted() {
		// Ask the batcher first, because it passes deliveries on to the workers
		List<DeliveryTask> taken = new ArrayList<>((this.batcher != null) ? this.batcher.takeWaiting() : List.of());
		taken.addAll(this.workers.takeUnstarted());
		return taken;
	}

	List<DeliveryTask> takeUnstarted(Predicate<DeliveryTask> which) {
		List<DeliveryTask> taken = new ArrayList<>(
				(this.batcher != null) ? this.batcher.takeWaiting(which) : List.of());
		taken.addAll(this.workers.takeUnstarted(which));
		return taken;
	}

	void stopBatches() {
		if (this.batcher != null) {
			this.batcher.stop();
		}
	}

}
