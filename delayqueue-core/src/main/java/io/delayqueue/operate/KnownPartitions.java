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
 * Reads the partitions that a queue has in Redis, independent of this process's
 * configuration, because a process that operates a queue need not consume it.
 *
 * @param directory the queues in Redis
 * @param retryingCalls repeats calls
 */
record KnownPartitions(QueueDirectory directory, RetryingCalls retryingCalls) {

	/**
	 * Returns all partitions of a queue.
	 * @throws InvalidMessageException if the queue was never used, so that its name may
	 * be misspelt
	 */
	List<Partition> of(String queue) {
		return epochs(queue).partitions();
	}

	/**
	 * Returns the epochs of a queue: the partitions of its current and earlier counts.
	 * @throws InvalidMessageException if the queue was never used
	 */
	Epochs epochs(String queue) {
		String checked = ScheduleRequest.to(queue).queue();
		return this.retryingCalls.call(checked, () -> this.directory.read(checked)).orElseThrow(() -> unknown(checked));
	}

	/**
	 * Returns the epochs of a queue as they are in Redis, because this process may know
	 * an older state; those of the settings if the queue was never used.
	 */
	Epochs epochs(QueueSettings settings) {
		return this.retryingCalls.call(settings.name(),
				() -> this.directory.read(settings.name()).orElseGet(() -> this.directory.known(settings)));
	}

	/** Returns the exception for a queue that was never used. */
	static InvalidMessageException unknown(String queue) {
		return new InvalidMessageException("queue", queue,
				"one that a producer or a listener has used with this key prefix");
	}

}
