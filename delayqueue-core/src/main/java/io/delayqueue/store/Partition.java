package io.delayqueue.store;

/**
 * One slice of a queue: its own keys under one hash tag, so one cluster slot.
 *
 * @param queue the queue's name
 * @param number from 0 to the queue's partition count - 1
 */
public record Partition(String queue, int number) {

	@Override
	public String toString() {
		return this.queue + ":" + this.number;
	}

}
