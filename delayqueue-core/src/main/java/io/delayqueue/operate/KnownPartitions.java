package io.delayqueue.operate;

import java.util.List;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RetryingCalls;

/**
 * Reads the partitions of a queue from Redis. The partition count of the configuration is
 * used only to register a queue, because a process that operates a queue need not consume
 * that queue.
 *
 * @param directory the directory of queues and their partition counts
 * @param retryingCalls repeats failed calls to Redis
 */
record KnownPartitions(QueueDirectory directory, RetryingCalls retryingCalls) {

	/**
	 * Returns the partitions of all epochs of a queue (its current and earlier partition
	 * counts).
	 * @throws InvalidMessageException if no process has used the queue and this
	 * application has not declared it: its name may be misspelt
	 */
	List<Partition> of(String queue) {
		return epochs(queue).partitions();
	}

	/**
	 * Returns the epochs of a queue: its current and earlier partition counts.
	 * @throws InvalidMessageException if no process has used the queue
	 */
	Epochs epochs(String queue) {
		String checked = ScheduleRequest.to(queue).queue();
		return this.retryingCalls.call(checked, () -> this.directory.readOrRegister(checked))
			.orElseThrow(() -> unknown(checked));
	}

	/**
	 * Reads the epochs (partition counts) of a queue from Redis, because the epochs that
	 * this process has read before may be out of date. For a queue that no process has
	 * used, this method returns the partition count of the settings.
	 */
	Epochs epochs(QueueSettings settings) {
		return this.retryingCalls.call(settings.name(),
				() -> this.directory.read(settings.name()).orElseGet(() -> this.directory.cached(settings)));
	}

	/** Returns the exception for a queue that no producer and no listener has used. */
	static InvalidMessageException unknown(String queue) {
		return new InvalidMessageException("queue", queue,
				"one that this application names in its properties or consumes, or that a producer or a listener has"
						+ " used with this key prefix");
	}

}
