package io.delayqueue.queue;

/**
 * One slice of a queue: its own keys under one hash tag, so one cluster slot.
 *
 * @param queue the queue's name
 * @param epoch the number of its epoch (the partitions of one partition count), 0 for the
 * first one
 * @param number its number in the epoch, from 0 to the partition count - 1
 */
public record Partition(String queue, int epoch, int number) {

	/**
	 * A partition of the first epoch.
	 * @param queue the queue's name
	 * @param number its number in the epoch, from 0 to the partition count - 1
	 */
	public Partition(String queue, int number) {
		this(queue, 0, number);
	}

	/**
	 * Reads a partition from its place in the queue.
	 * @param queue the queue's name
	 * @param place the text that {@link #place} returns
	 * @return the partition
	 * @throws NumberFormatException if the text has another form
	 */
	public static Partition at(String queue, String place) {
		int colon = place.indexOf(':');
		return new Partition(queue, (colon < 0) ? 0 : Integer.parseInt(place.substring(0, colon)),
				Integer.parseInt(place.substring(colon + 1)));
	}

	/**
	 * Returns its place in the queue, as text.
	 * @return {@code number} in the first epoch, {@code epoch:number} in a later one
	 */
	public String place() {
		return (this.epoch == 0) ? Integer.toString(this.number) : this.epoch + ":" + this.number;
	}

	@Override
	public String toString() {
		return this.queue + ":" + place();
	}

}
