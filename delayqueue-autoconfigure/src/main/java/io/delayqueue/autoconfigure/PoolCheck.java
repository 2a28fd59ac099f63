package io.delayqueue.autoconfigure;

import java.util.Collection;
import java.util.Optional;

import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.DriverSettings;

/**
 * Whether connections that are not ours are enough for what goes on at once. Those of our
 * own pool are.
 */
final class PoolCheck {

	/** A call of the application, and the hint that follows it. */
	private static final int OF_PRODUCERS = 2;

	/** The subscription to hints, a sweep, a heartbeat. */
	private static final int OF_CONSUMERS = 3;

	/** A read and a settlement. */
	private static final int OF_A_PARTITION = 2;

	private PoolCheck() {
	}

	/**
	 * Compares.
	 * @param driver what the connections are set to do
	 * @param consumed the queues that have a listener in this process
	 * @return what to say if they are too few
	 */
	static Optional<String> warning(DriverSettings driver, Collection<QueueSettings> consumed) {
		Integer most = driver.connections();
		int needed = needed(consumed);
		if (most == null || most < 0 || most >= needed) {
			return Optional.empty();
		}
		return Optional.of("The pool that delayed messages take their connections from has at most " + most + ", but "
				+ needed + " are needed for what goes on at once: calls may wait, and messages be late. Give it "
				+ needed + " or more connections");
	}

	private static int needed(Collection<QueueSettings> consumed) {
		if (consumed.isEmpty()) {
			return OF_PRODUCERS;
		}
		int partitions = consumed.stream().mapToInt(QueueSettings::partitions).sum();
		return Math.min(DriverSettings.ENOUGH_CONNECTIONS, OF_PRODUCERS + OF_CONSUMERS + OF_A_PARTITION * partitions);
	}

}
