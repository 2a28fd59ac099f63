package io.delayqueue.benchmark;

/**
 * The work of a Redis server since its start, or in a period.
 *
 * @param sent the number of commands that clients sent, counted as reads of the server's
 * sockets, because a driver without pipelines writes each command in one piece; Lettuce
 * may write several commands of a busy connection at once, which count as one
 * @param carriedOut the number of commands that the server carried out, including
 * commands inside scripts
 * @param cpuMicros the CPU time of the server, us
 */
record Cost(double sent, double carriedOut, double cpuMicros) {

	Cost since(Cost before) {
		return new Cost(this.sent - before.sent, this.carriedOut - before.carriedOut,
				this.cpuMicros - before.cpuMicros);
	}

	Cost plus(Cost other) {
		return new Cost(this.sent + other.sent, this.carriedOut + other.carriedOut, this.cpuMicros + other.cpuMicros);
	}

	/** Returns the cost of one message, or of one second, as a part of this cost. */
	Cost dividedBy(double count) {
		return new Cost(this.sent / count, this.carriedOut / count, this.cpuMicros / count);
	}

}
