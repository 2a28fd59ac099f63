package io.delayqueue.benchmark;

/**
 * The work of a server: since its start, or of a period.
 *
 * @param sent commands that clients sent: the reads of its sockets, because a driver
 * without pipelines writes each command in one piece
 * @param carriedOut commands that it carried out, including those inside scripts
 * @param cpuMicros CPU time, us
 */
record Cost(double sent, double carriedOut, double cpuMicros) {

	Cost since(Cost before) {
		return new Cost(this.sent - before.sent, this.carriedOut - before.carriedOut,
				this.cpuMicros - before.cpuMicros);
	}

	Cost plus(Cost other) {
		return new Cost(this.sent + other.sent, this.carriedOut + other.carriedOut, this.cpuMicros + other.cpuMicros);
	}

	/** The share of one of several messages, or of a second. */
	Cost dividedBy(double count) {
		return new Cost(this.sent / count, this.carriedOut / count, this.cpuMicros / count);
	}

}
