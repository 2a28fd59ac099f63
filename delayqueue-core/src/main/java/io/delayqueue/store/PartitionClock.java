package io.delayqueue.store;

import java.util.concurrent.TimeUnit;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;

/**
 * Reads the clock of a partition's server, with which the store turns a delay that began
 * before the call into an instant. If Redis carries out a call late, after it was frozen
 * for example, a delay would begin only then, but an instant does not change.
 *
 * <p>
 * Such an instant is never early, because the elapsed part of the delay is measured
 * before Redis reads its clock. The instant is late by the time that Redis takes to
 * answer; after a slow answer the clock is read again.
 */
final class PartitionClock {

	private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private static final int MOST_READINGS = 3;

	private final RedisCalls calls;

	PartitionClock(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * A reading of the clock.
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
	 * Reads the clock, up to three times if Redis answers slowly.
	 * @throws StoreException if Redis does not answer: the call that needs the clock was
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
			// The time is rounded up, so that no instant is early
			return new Reading((nowMicros + 999) / 1000, askedNanos);
		}
		catch (StoreException failure) {
			throw failure.asNotExecuted();
		}
	}

}
