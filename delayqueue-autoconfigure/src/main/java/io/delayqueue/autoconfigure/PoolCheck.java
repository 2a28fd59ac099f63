package io.delayqueue.autoconfigure;

import java.util.Collection;
import java.util.Optional;

import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.DriverSettings;

/**
 * Checks that the application's connection pool has enough connections for concurrent
 * use. The pool of this library always has enough.
 */
final class PoolCheck {

	/** A call of the application, and the hint published after it. */
	private static final int FOR_PRODUCERS = 2;

	/** The subscription to hints, a sweep, and a lease renewal. */
	private static final int FOR_CONSUMERS = 3;

	/** A read and a settlement. */
	private static final int FOR_EACH_PARTITION = 2;

	private PoolCheck() {
	}

	/**
	 * Compares the size of the pool with the number of connections needed.
	 * @param driver the settings of the connections
	 * @param consumed the queues with a listener in this process
	 * @return a warning if the pool is too small
	 */
	static Optional<String> warning(DriverSettings driver, Collection<QueueSettings> consumed) {
		Integer size = driver.connections();
		int needed = needed(consumed);
		if (size == null || size < 0 || size >= needed) {
			return Optional.empty();
		}
		return Optional.of("The connection pool for delayed messages has at most " + size + " connections, but "
				+ needed + " may be in use at once: calls may wait, and messages may be late. Increase the pool to "
				+ needed + " or more connections");
	}

	private static int needed(Collection<QueueSettings> consumed) {
		if (consumed.isEmpty()) {
			return FOR_PRODUCERS;
		}
		int partitions = consumed.stream().mapToInt(QueueSettings::partitions).sum();
		return Math.min(DriverSettings.ENOUGH_CONNECTIONS,
				FOR_PRODUCERS + FOR_CONSUMERS + FOR_EACH_PARTITION * partitions);
	}

}
