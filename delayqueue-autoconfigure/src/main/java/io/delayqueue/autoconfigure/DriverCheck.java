package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.DriverSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Checks the settings of the connections to Redis. Reads from replicas are rejected,
 * because a replica that lags behind its master returns stale data. A command timeout
 * that is too long only causes a warning, and so does a connection pool that is too
 * small, because these settings delay messages but break no guarantee.
 */
final class DriverCheck {

	private static final Log logger = LogFactory.getLog(DriverCheck.class);

	/** The number of lease renewals in each visibility timeout. */
	private static final int RENEWALS_PER_TIMEOUT = 3;

	/**
	 * The number of connections that a process needs to schedule messages: one for the
	 * call of the application, one for the hint to the consumers.
	 */
	private static final int FOR_PRODUCERS = 2;

	/**
	 * The number of connections that a consuming process needs: one each for the
	 * subscription to hints, for sweeps, and for lease renewals.
	 */
	private static final int FOR_CONSUMERS = 3;

	/**
	 * The number of connections that each consumed partition needs: one to read messages,
	 * one to settle them.
	 */
	private static final int FOR_EACH_PARTITION = 2;

	private final DriverSettings driver;

	DriverCheck(DriverSettings driver) {
		this.driver = driver;
	}

	void check(ConfigurationFaults faults) {
		String replicaReads = this.driver.replicaReads();
		if (replicaReads != null) {
			faults.add("spring.data.redis.lettuce.read-from", replicaReads,
					"must be 'upstream': a replica that lags behind may return a wrong number of partitions for a queue",
					"Remove spring.data.redis.lettuce.read-from (or the ReadFrom of your own connection factory), or"
							+ " give delayed messages a RedisTemplate<String, byte[]> of their own, named"
							+ " 'delayQueueRedisTemplate', whose connections read from the master");
		}
	}

	void warn(Duration deadline, Duration visibilityTimeout) {
		String warning = warning(deadline, visibilityTimeout);
		if (warning != null) {
			logger.warn(warning);
		}
	}

	/**
	 * Returns a warning if the command timeout of the Redis client is too long.
	 * @param deadline how long an unanswered call that schedules a message is repeated
	 * @param visibilityTimeout the shortest visibility timeout of all queues
	 * @return the warning, {@code null} if the timeout is short enough
	 */
	private @Nullable String warning(Duration deadline, Duration visibilityTimeout) {
		Duration timeout = this.driver.commandTimeout();
		if (timeout == null) {
			return null;
		}
		Duration renewalInterval = visibilityTimeout.dividedBy(RENEWALS_PER_TIMEOUT).truncatedTo(ChronoUnit.MILLIS);
		List<String> limits = new ArrayList<>();
		if (isLonger(timeout, deadline)) {
			limits.add("delayqueue.schedule.deadline (" + PropertyText.of(deadline)
					+ "), which a pending call may then exceed");
		}
		if (isLonger(timeout, renewalInterval)) {
			limits.add("a third of the visibility timeout (" + PropertyText.of(visibilityTimeout)
					+ "), so that one lost answer may cause leases to be lost");
		}
		if (limits.isEmpty()) {
			return null;
		}
		Duration limit = (deadline.compareTo(renewalInterval) < 0) ? deadline : renewalInterval;
		return "The command timeout of the Redis client is "
				+ (timeout.isZero() ? "unlimited" : PropertyText.of(timeout)) + ": longer than "
				+ String.join(", and longer than ", limits)
				+ ". Set spring.data.redis.timeout (or the timeout of your own connection factory) to "
				+ PropertyText.of(limit) + " or less";
	}

	private static boolean isLonger(Duration timeout, Duration limit) {
		return timeout.isZero() || timeout.compareTo(limit) > 0;
	}

	/**
	 * Returns a warning if the application's connection pool has fewer connections than
	 * may be in use at once. A connection pool that this library creates always has
	 * enough connections.
	 * @param consumed the queues with a listener in this process
	 */
	Optional<String> poolWarning(Collection<QueueSettings> consumed) {
		Integer size = this.driver.connections();
		int needed = neededConnections(consumed);
		if (size == null || size < 0 || size >= needed) {
			return Optional.empty();
		}
		return Optional.of("The connection pool for delayed messages has at most " + size + " connections, but "
				+ needed + " may be in use at once: calls may wait, and messages may be late. Increase the pool to "
				+ needed + " or more connections");
	}

	private static int neededConnections(Collection<QueueSettings> consumed) {
		if (consumed.isEmpty()) {
			return FOR_PRODUCERS;
		}
		int partitions = consumed.stream().mapToInt(QueueSettings::partitions).sum();
		return Math.min(DriverSettings.ENOUGH_CONNECTIONS,
				FOR_PRODUCERS + FOR_CONSUMERS + FOR_EACH_PARTITION * partitions);
	}

}
