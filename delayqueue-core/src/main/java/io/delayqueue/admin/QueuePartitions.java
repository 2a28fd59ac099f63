package io.delayqueue.admin;

import java.util.List;

/**
 * The current and the earlier partition counts of a queue.
 *
 * @param queue the queue
 * @param partitions the number of partitions in which new messages are stored
 * @param earlier the earlier partition counts whose partitions may still have messages,
 * the oldest count first; empty if the count was never changed, or all messages of
 * earlier partitions have ended
 */
public record QueuePartitions(String queue, int partitions, List<Integer> earlier) {

	/**
	 * Copies the list of earlier partition counts.
	 */
	public QueuePartitions {
		earlier = List.copyOf(earlier);
	}

}
