package io.delayqueue.admin;

import java.util.List;

/**
 * The partition counts of a queue.
 *
 * @param queue the queue
 * @param partitions the partition count of new messages
 * @param earlier the earlier partition counts that may hold messages, the oldest one
 * first; empty if the count was never changed, or all messages of earlier partitions have
 * ended
 */
public record QueuePartitions(String queue, int partitions, List<Integer> earlier) {

	/**
	 * Makes an immutable copy.
	 */
	public QueuePartitions {
		earlier = List.copyOf(earlier);
	}

}
