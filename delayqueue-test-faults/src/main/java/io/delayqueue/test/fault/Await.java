package io.delayqueue.test.fault;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.delayqueue.test.redis.RedisNotAvailableException;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Waits for a condition up to a limit. The exception of a failed wait describes the state
 * of the servers.
 */
final class Await {

	/**
	 * The limit for conditions that normally hold soon; long enough for a busy machine.
	 */
	static final Duration LIMIT = Duration.ofMinutes(2);

	private static final Duration PAUSE = Duration.ofMillis(10);

	private Await() {
	}

	static void until(Duration limit, Supplier<String> failure, Callable<Boolean> condition) {
		try {
			Awaitility.await()
				.pollInSameThread()
				.pollDelay(Duration.ZERO)
				.pollInterval(PAUSE)
				.atMost(limit)
				.until(condition);
		}
		catch (ConditionTimeoutException ex) {
			throw new RedisNotAvailableException(failure.get() + " within " + limit.toMillis() + " ms", ex);
		}
	}

}
