package io.delayqueue.benchmark;

/**
 * The factor that makes the workloads larger or smaller. Rates stay the same.
 *
 * @param factor the factor of numbers of messages and of durations; 1 for the sizes that
 * the documentation states
 */
record Scale(double factor) {

	Scale {
		if (!(factor > 0)) {
			throw new IllegalArgumentException("factor must be above 0, not " + factor);
		}
	}

	/** Returns a number of messages multiplied by the factor, at least 20. */
	int count(int full) {
		return (int) Math.max(20, Math.round(full * this.factor));
	}

	/** Returns a duration in seconds multiplied by the factor, at least 1 s. */
	int seconds(int full) {
		return (int) Math.max(1, Math.round(full * this.factor));
	}

}
