package io.delayqueue.delivery;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Lets suspects run alone: a message that has once been in a process that fell silent may
 * be what kills it, and must not take others along. While one waits here or runs, nothing
 * else is begun. Safe for use by several threads.
 */
final class Quarantine {

	private final Deque<DeliveryTask> waiting = new ArrayDeque<>();

	private @Nullable DeliveryTask running;

	synchronized void admit(List<DeliveryTask> suspects) {
		this.waiting.addAll(suspects);
	}

	synchronized boolean isEmpty() {
		return this.waiting.isEmpty() && this.running == null;
	}

	/** Whether this delivery may not begin now. */
	synchronized boolean bars(DeliveryTask task) {
		return !isEmpty() && this.running != task;
	}

	/** The next suspect to run, {@code null} if one runs or none waits. */
	synchronized @Nullable DeliveryTask next() {
		if (this.running != null) {
			return null;
		}
		this.running = this.waiting.poll();
		return this.running;
	}

	/** A delivery has ended; says whether it was the suspect. */
	synchronized boolean ended(DeliveryTask task) {
		boolean was = this.running == task;
		if (was) {
			this.running = null;
		}
		return was;
	}

	/** Takes away what has not begun. */
	synchronized List<DeliveryTask> takeWaiting() {
		List<DeliveryTask> taken = List.copyOf(this.waiting);
		this.waiting.clear();
		return taken;
	}

}
