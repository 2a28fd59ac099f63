package io.delayqueue.store;

import java.util.concurrent.TimeUnit;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;

/**
 * Reads the clock of a partition's server. With its time, the store turns a delay that
 * began before the call to Redis into an instant. An instant stays correct even if Redis
 * carries out the call late, for example because the server was frozen; a delay would
 * begin only when Redis carries out the call.
 * <p>
 * The computed instant is never earlier than the end of the delay, because this process
 * measures the elapsed part of the delay before Redis reads its clock. The instant is
 * later than the end of the delay by at most about the time that Redis takes to answer.
 * If Redis answers slowly, this class reads the clock again.
 */
final class PartitionClock {

	private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private static final int MOST_READINGS = 3;

	private final RedisCalls calls;

	PartitionClock(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * The time of Redis, and when this process asked for it.
	 *
	 * @param nowMillis the time of Redis, ms since 1970
	 * @param askedNanos when this process sent the call, by {@link System#nanoTime()}
	 */
	record Reading(long nowMillis, long askedNanos) {

		private boolean isSlow() {
			return System.nanoTime() - this.askedNanos > SLOW_NANOS;
		}

	}

	/**
	 * Reads the clock of a partition's server, up to three times if Redis answers slowly.
	 * @throws StoreException if Redis does not answer; the call that needs the time was
	 * not sent
	 */
	Reading read(Partition partition) {
		Reading reading = readOnce(partition);
		for (int n = 1; n < MOST_READINGS && reading.isSlow(); n++) {
			reading = readOnce(partition);
		}
		return reading;
	}

	private Reading readOnce(Partition partition) {
		try {
			long askedNanos = System.nanoTime();
			long nowMicros = this.calls.run(StoreScript.PEEK_PARTITIONS, partition).number(1);
			// The time is rounded up, so that no message is delivered early
			return new Reading((nowMicros + 999) / 1000, askedNanos);
		}
		catch (StoreException failure) {
			throw failure.asNotExecuted();
		}
	}

}
