package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.delivery.HandlerThreads.Threads;

/**
 * Workers, and what waits for them.
 *
 * @param gathering what is to be put together before it can begin
 * @param workers begin with it
 * @param threads what they run on
 */
record Lane(Gathering gathering, Workers workers, Threads threads) {

	/** Takes away what has not begun. */
	List<DeliveryTask> takeUnstarted() {
		List<DeliveryTask> taken = new ArrayList<>(this.gathering.takeWaiting());
		taken.addAll(this.workers.takeUnstarted());
		return taken;
	}

}
