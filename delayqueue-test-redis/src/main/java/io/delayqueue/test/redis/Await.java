package io.delayqueue.test.redis;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Polls a condition until it holds or a limit has passed.
 */
final class Await {

	/**
	 * The limit for conditions that normally hold soon; long enough for a busy machine.
	 */
	static final Duration LIMIT = Duration.ofMinutes(2);

	private static final Duration PAUSE = Duration.ofMillis(10);

	private Await() {
	}

	/**
	 * Waits until the condition holds.
	 * @param limit the longest wait
	 * @param failure the message if the condition does not hold in time
	 * @param condition checked every 10 ms
	 * @throws RedisNotAvailableException if the condition did not hold in time, or the
	 * thread was interrupted
	 */
	static void until(Duration limit, Supplier<String> failure, BooleanSupplier condition) {
		long end = System.nanoTime() + limit.toNanos();
		while (!condition.getAsBoolean()) {
			if (Thread.currentThread().isInterrupted()) {
				throw new RedisNotAvailableException("Interrupted. " + failure.get());
			}
			if (System.nanoTime() - end > 0) {
				throw new RedisNotAvailableException(failure.get() + " within " + limit.toMillis() + " ms");
			}
			LockSupport.parkNanos(PAUSE.toNanos());
		}
	}

}
