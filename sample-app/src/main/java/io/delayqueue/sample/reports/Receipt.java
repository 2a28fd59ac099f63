package io.delayqueue.sample.reports;

/**
 * The result of a call with reports.
 *
 * @param accepted the number of accepted reports
 * @param dropped the number of older reports of the same games that they replaced
 */
record Receipt(int accepted, int dropped) {

	static final Receipt NONE = new Receipt(0, 0);

	Receipt plus(Receipt other) {
		return new Receipt(this.accepted + other.accepted, this.dropped + other.dropped);
	}

}
