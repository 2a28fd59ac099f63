package io.delayqueue.operate;

import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.store.Partition;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RetryingCalls;

/**
 * The partitions that a queue has in Redis, independent of this process's configuration:
 * a process that operates a queue need not consume it.
 *
 * @param directory the queues in Redis
 * @param retryingCalls repeats calls
 */
record KnownPartitions(QueueDirectory directory, RetryingCalls retryingCalls) {

	/**
	 * All partitions of a queue.
	 * @throws InvalidMessageException if the queue was never used: its name may be
	 * misspelt
	 */
	List<Partition> of(String queue) {
		String checked = ScheduleRequest.to(queue).queue();
		int partitions = this.retryingCalls.call(checked, () -> this.directory.partitions(checked));
		if (partitions == 0) {
			throw new InvalidMessageException("queue", checked,
					"one that a producer or a listener has used with this key prefix");
		}
		return IntStream.range(0, partitions).mapToObj((number) -> new Partition(checked, number)).toList();
	}

}
