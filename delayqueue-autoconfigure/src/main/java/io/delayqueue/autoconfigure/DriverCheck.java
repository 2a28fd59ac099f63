package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.store.DriverSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Looks for what breaks a promise in how the application's connections are set. Reading
 * from replicas is refused: a replica that lags behind tells what is no longer true.
 * Waiting for longer than our own limits is only warned of: it makes things late, not
 * wrong.
 */
final class DriverCheck {

	private static final Log logger = LogFactory.getLog(DriverCheck.class);

	/** The heartbeat comes three times in each visibility timeout. */
	private static final int BEATS = 3;

	private final DriverSettings driver;

	DriverCheck(DriverSettings driver) {
		this.driver = driver;
	}

	void check(ConfigurationFaults faults) {
		String replicaReads = this.driver.replicaReads();
		if (replicaReads != null) {
			faults.add("spring.data.redis.lettuce.read-from", replicaReads,
					"must be 'upstream': a replica that lags behind does not know how many partitions a queue has",
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
	 * What to say about an answer that is waited for too long.
	 * @param deadline for how long a call to schedule is repeated
	 * @param visibilityTimeout the shortest one of all queues
	 * @return the warning, {@code null} if there is nothing to say
	 */
	private @Nullable String warning(Duration deadline, Duration visibilityTimeout) {
		Duration timeout = this.driver.commandTimeout();
		if (timeout == null) {
			return null;
		}
		Duration beat = visibilityTimeout.dividedBy(BEATS).truncatedTo(ChronoUnit.MILLIS);
		List<String> limits = new ArrayList<>();
		if (isLonger(timeout, deadline)) {
			limits.add("delayqueue.schedule.deadline (" + PropertyText.of(deadline)
					+ "), which a call that is under way cannot keep");
		}
		if (isLonger(timeout, beat)) {
			limits.add("a third of the visibility timeout (" + PropertyText.of(visibilityTimeout)
					+ "), so that one lost answer may cost leases");
		}
		if (limits.isEmpty()) {
			return null;
		}
		Duration most = (deadline.compareTo(beat) < 0) ? deadline : beat;
		return "The Redis client waits for an answer " + (timeout.isZero() ? "for ever" : PropertyText.of(timeout))
				+ ": longer than " + String.join(", and longer than ", limits)
				+ ". Set spring.data.redis.timeout (or the timeout of your own connection factory) to "
				+ PropertyText.of(most) + " or less";
	}

	private static boolean isLonger(Duration timeout, Duration limit) {
		return timeout.isZero() || timeout.compareTo(limit) > 0;
	}

}
