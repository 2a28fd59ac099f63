package io.delayqueue.benchmark;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A measurement that the benchmark repeats for each contender.
 */
interface Workload {

	/**
	 * Returns the contenders that run if the command names none: all but BullMQ, which
	 * needs Node.js.
	 */
	default Set<Contender> contenders() {
		return EnumSet.complementOf(EnumSet.of(Contender.BULLMQ));
	}

	/**
	 * Returns the number of warm-up rounds, whose results do not count. In a run of all
	 * workloads only the first two have warm-up rounds, because later workloads execute
	 * the same code.
	 */
	default int warmUps() {
		return 0;
	}

	/**
	 * Runs one round of this workload with one contender.
	 * @param contender the contender
	 * @param target an empty server without other clients
	 * @return the measured values
	 */
	List<Measured> run(Contender contender, Target target) throws InterruptedException;

}
