package io.delayqueue.delivery;

import io.delayqueue.lifecycle.Signals;

/**
 * That others have looked and seen nothing, which spares a look of one's own for a while.
 * It counts from when they looked, and not from when one is told or asks: else two such
 * whiles in a row would leave unseen what has come just after it. Safe for use by several
 * threads.
 */
final class LastEmptyCheck {

	private volatile long asOfNanos = Signals.longAgo();

	private volatile long forgottenNanos = System.nanoTime() + Long.MIN_VALUE / 2;

	/**
	 * Others have looked.
	 * @param asOfNanos when, by {@link System#nanoTime()}
	 */
	void seen(long asOfNanos) {
		this.asOfNanos = asOfNanos;
	}

	/** What others have seen by now does not count any more, also if it is told later. */
	void forget() {
		this.forgottenNanos = System.nanoTime();
	}

	/**
	 * For how long it still counts.
	 * @param nanos for how long it counts from when they looked
	 * @return what is left of that, ns; 0 or less if nothing is
	 */
	long left(long nanos) {
		long asOf = this.asOfNanos;
		return (asOf - this.forgottenNanos > 0) ? nanos - (System.nanoTime() - asOf) : 0;
	}

}
