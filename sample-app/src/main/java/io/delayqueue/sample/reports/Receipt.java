package io.delayqueue.sample.reports;

/**
 * The result of a request that contains reports.
 *
 * @param accepted the number of accepted reports
 * @param dropped the number of older reports of the same games that the accepted reports
 * have replaced
 */
record Receipt(int accepted, int dropped) {

	static final Receipt NONE = new Receipt(0, 0);

	Receipt plus(Receipt other) {
		return new Receipt(this.accepted + other.accepted, this.dropped + other.dropped);
	}

}
