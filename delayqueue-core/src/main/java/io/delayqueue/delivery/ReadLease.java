package io.delayqueue.delivery;

import java.time.Duration;

/**
 * The time at which one call to Redis delivered messages and so began their leases, by
 * the clock of Redis and by the clock of this process. All messages of the call share one
 * instance.
 *
 * @param redisMicros the time of Redis when it delivered the messages, us since 1970
 * @param askedNanos the monotonic time of this process before it sent the call, ns
 * @param answeredNanos the monotonic time of this process after it got the reply, ns
 * @param visibilityTimeout how long a lease lasts without a renewal
 */
record ReadLease(long redisMicros, long askedNanos, long answeredNanos, Duration visibilityTimeout) {

	/**
	 * Returns the current time of Redis, us since 1970: the time of Redis at the call
	 * plus the time that has passed in this process since the reply.
	 */
	long nowMicros() {
		return this.redisMicros + (System.nanoTime() - this.answeredNanos) / 1000;
	}

}
