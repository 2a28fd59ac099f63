package io.delayqueue.queue;

/**
 * One slice (shard) of a queue. A partition has its own keys, with one hash tag and so in
 * one slot of a Redis cluster.
 *
 * @param queue the queue's name
 * @param epoch the number of the partition's epoch (the partitions of one partition
 * count), 0 for the first epoch
 * @param number the number of the partition in its epoch, from 0 to the partition count -
 * 1
 */
public record Partition(String queue, int epoch, int number) {

	/**
	 * Creates a partition of the first epoch.
	 * @param queue the queue's name
	 * @param number the number of the partition in its epoch, from 0 to the partition
	 * count - 1
	 */
	public Partition(String queue, int number) {
		this(queue, 0, number);
	}

	/**
	 * Reads a partition from the text that {@link #place} returns.
	 * @param queue the queue's name
	 * @param place the epoch and the number of the partition, as text
	 * @return the partition
	 * @throws NumberFormatException if the text has another form
	 */
	public static Partition at(String queue, String place) {
		int colon = place.indexOf(':');
		return new Partition(queue, (colon < 0) ? 0 : Integer.parseInt(place.substring(0, colon)),
				Integer.parseInt(place.substring(colon + 1)));
	}

	/**
	 * Returns the epoch and the number of this partition, as text.
	 * @return {@code number} in the first epoch, {@code epoch:number} in a later epoch
	 */
	public String place() {
		return (this.epoch == 0) ? Integer.toString(this.number) : this.epoch + ":" + this.number;
	}

	@Override
	public String toString() {
		return this.queue + ":" + place();
	}

}
