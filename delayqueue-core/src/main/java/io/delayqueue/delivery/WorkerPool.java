package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.delayqueue.delivery.HandlerThreads.Threads;
import org.jspecify.annotations.Nullable;

/**
 * Workers that call a handler, and the deliveries that wait for these workers.
 *
 * @param batcher collects deliveries into batches, {@code null} if the handler takes
 * single messages
 * @param workers the workers that call the handler
 * @param threads the threads that run the workers
 */
record WorkerPool(@Nullable Batcher batcher, Workers workers, Threads threads) {

	/**
	 * Adds deliveries, and returns the handler calls that can begin now, each as a list
	 * of deliveries.
	 */
	List<List<DeliveryTask>> add(List<DeliveryTask> tasks) {
		return (this.batcher != null) ? this.batcher.add(tasks) : tasks.stream().map(List::of).toList();
	}

	List<DeliveryTask> takeUnstarted() {
		// Empty the batcher first: if it passes deliveries to the workers in the
		// meantime, the next call takes these deliveries from the workers
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
