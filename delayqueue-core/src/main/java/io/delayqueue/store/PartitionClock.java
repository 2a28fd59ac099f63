package io.delayqueue.store;

import java.util.concurrent.TimeUnit;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;

/**
 * Reads the clock of the server that has a partition, to make instants of delays that
 * began before the call. If Redis carries out a call late, after it was frozen for
 * example, a delay would count from then on; an instant stays.
 *
 * <p>
 * Such an instant is never early: The clock of Redis is read after the elapsed part of
 * the delay is known. The instant is late by the time that Redis takes to answer; after a
 * slow answer the clock is read again.
 */
final class PartitionClock {

	private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private static final int MOST_READINGS = 3;

	private final RedisCalls calls;

	PartitionClock(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * What the clock shows.
	 *
	 * @param nowMillis the time of Redis, ms since 1970
	 * @param askedNanos when Redis was asked, before it read its clock, by
	 * {@link System#nanoTime()}
	 */
	record Reading(long nowMillis, long askedNanos) {

		private boolean isSlow() {
			return System.nanoTime() - this.askedNanos > SLOW_NANOS;
		}

	}

	/**
	 * Reads the clock.
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
			// Rounded up, so that no instant is early
			return new Reading((nowMicros + 999) / 1000, askedNanos);
		}
		catch (StoreException failure) {
			throw failure.asNotExecuted();
		}
	}

}
