package io.delayqueue.delivery;

import io.delayqueue.lifecycle.Signals;

/**
 * Records when another component last saw the partition empty, so that this one can skip
 * a check. The time counts from the check itself and not from its report: otherwise a
 * message that arrived just after the check could be missed twice. Safe for use by
 * several threads.
 */
final class LastEmptyCheck {

	private volatile long asOfNanos = Signals.longAgo();

	private volatile long forgottenNanos = System.nanoTime() + Long.MIN_VALUE / 2;

	/**
	 * Records a check that found the partition empty.
	 * @param asOfNanos the time of the check, by {@link System#nanoTime()}
	 */
	void seen(long asOfNanos) {
		this.asOfNanos = asOfNanos;
	}

	/** Discards every check before now, also those that are reported later. */
	void forget() {
		this.forgottenNanos = System.nanoTime();
	}

	/**
	 * The time for which the last check still counts.
	 * @param nanos the time for which a check counts, ns
	 * @return the rest of that time, ns; 0 or less if it has passed
	 */
	long left(long nanos) {
		long asOf = this.asOfNanos;
		return (asOf - this.forgottenNanos > 0) ? nanos - (System.nanoTime() - asOf) : 0;
	}

}
