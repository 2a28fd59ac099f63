package io.delayqueue.queue;

/**
 * One slice of a queue: its own keys under one hash tag, so one cluster slot.
 *
 * @param queue the queue's name
 * @param epoch the epoch to which it belongs, 0 for the first one of the queue
 * @param number from 0 to the epoch's partition count - 1
 */
public record Partition(String queue, int epoch, int number) {

	/**
	 * A partition of the first epoch.
	 * @param queue the queue's name
	 * @param number from 0 to the epoch's partition count - 1
	 */
	public Partition(String queue, int number) {
		this(queue, 0, number);
	}

	/**
	 * The partition at a place.
	 * @param queue the queue's name
	 * @param place what {@link #place} returns
	 * @return the partition
	 * @throws NumberFormatException if the text is not a place
	 */
	public static Partition at(String queue, String place) {
		int colon = place.indexOf(':');
		return new Partition(queue, (colon < 0) ? 0 : Integer.parseInt(place.substring(0, colon)),
				Integer.parseInt(place.substring(colon + 1)));
	}

	/**
	 * Where it is in its queue, as text.
	 * @return its number, for a later epoch than the first one as {@code epoch:number}
	 */
	public String place() {
		return (this.epoch == 0) ? Integer.toString(this.number) : this.epoch + ":" + this.number;
	}

	@Override
	public String toString() {
		return this.queue + ":" + place();
	}

}
