package io.delayqueue.benchmark;

/**
 * The size of the workloads. Rates stay as they are.
 *
 * @param factor the factor of numbers of messages and of durations; 1 for the sizes of
 * the documentation
 */
record Scale(double factor) {

	Scale {
		if (!(factor > 0)) {
			throw new IllegalArgumentException("factor must be above 0, not " + factor);
		}
	}

	/** A number of messages, at least 20. */
	int count(int full) {
		return (int) Math.max(20, Math.round(full * this.factor));
	}

	/** A duration, at least 1 s. */
	int seconds(int full) {
		return (int) Math.max(1, Math.round(full * this.factor));
	}

}
