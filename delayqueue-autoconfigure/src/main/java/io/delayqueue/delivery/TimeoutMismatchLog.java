package io.delayqueue.delivery;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.Leases;
import io.delayqueue.store.Partition;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells that a queue has another visibility timeout than this process: once of each,
 * however many partitions it has.
 *
 * @param settings the settings of the queue
 * @param leases knows what is stored
 * @param logged the timeouts that the log tells of already
 */
record TimeoutMismatchLog(QueueSettings settings, Leases leases, Set<Duration> logged) {

	private static final Log logger = LogFactory.getLog(TimeoutMismatchLog.class);

	TimeoutMismatchLog(QueueSettings settings, Leases leases) {
		this(settings, leases, ConcurrentHashMap.newKeySet());
	}

	/** A partition goes by that one from now on. */
	void changed(Partition partition, Duration stored) {
		Duration ours = this.settings.visibilityTimeout();
		if (!stored.equals(ours) && this.logged.add(stored)) {
			logger.warn("Queue '" + this.settings.name() + "' has a visibility timeout of " + ours.toMillis()
					+ " ms here, but " + stored.toMillis() + " ms is stored and counts. Set it alike in all processes,"
					+ " or change what is stored, for each partition: " + this.leases.commandToStore(partition, ours));
		}
	}

}
