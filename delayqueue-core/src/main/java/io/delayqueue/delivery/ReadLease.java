package io.delayqueue.delivery;

import java.time.Duration;

/**
 * The time at which a read gave its messages their leases, by the clocks of Redis and of
 * this process. All messages of the read share one instance.
 *
 * @param redisMicros the time of Redis at the read, us since 1970
 * @param askedNanos the monotonic time of this process before the read, ns
 * @param answeredNanos the monotonic time of this process after the read, ns
 * @param visibilityTimeout how long the lease lasts without a renewal
 */
record ReadLease(long redisMicros, long askedNanos, long answeredNanos, Duration visibilityTimeout) {

	/**
	 * Returns the current time of Redis, us: its time at the read plus the time since.
	 */
	long nowMicros() {
		return this.redisMicros + (System.nanoTime() - this.answeredNanos) / 1000;
	}

}
