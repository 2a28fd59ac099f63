package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.redis.DriverSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Checks the settings of the application's connections for violations of delivery
 * guarantees. Reading from replicas is rejected: a replica that lags behind returns stale
 * data. A command timeout above the limits of this library only causes a warning: it
 * delays messages but breaks no guarantee.
 */
final class DriverCheck {

	private static final Log logger = LogFactory.getLog(DriverCheck.class);

	/** Number of lease renewals in each visibility timeout. */
	private static final int RENEWALS_PER_TIMEOUT = 3;

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
	 * Returns a warning if the command timeout is too long.
	 * @param deadline how long a call to schedule is repeated
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

}
