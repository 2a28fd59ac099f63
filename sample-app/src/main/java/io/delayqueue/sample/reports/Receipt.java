package io.delayqueue.sample.reports;

/**
 * What became of the reports of a call.
 *
 * @param accepted how many were taken
 * @param dropped how many older ones of the same games had to make room for them
 */
record Receipt(int accepted, int dropped) {

	static final Receipt NONE = new Receipt(0, 0);

	Receipt plus(Receipt other) {
		return new Receipt(this.accepted + other.accepted, this.dropped + other.dropped);
	}

}
