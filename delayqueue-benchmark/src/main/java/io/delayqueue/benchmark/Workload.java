package io.delayqueue.benchmark;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A measurement.
 */
interface Workload {

	/** The default contenders. */
	default Set<Contender> contenders() {
		return EnumSet.allOf(Contender.class);
	}

	/**
	 * The number of warm-up rounds, which do not count, and of which there are no more
	 * than of those that count: two for short workloads, so that the JVM compiles the
	 * code.
	 */
	default int warmUps() {
		return 1;
	}

	/**
	 * Runs one round of one contender.
	 * @param contender the contender
	 * @param target an empty server without other clients
	 * @return the results
	 */
	List<Measured> run(Contender contender, Target target) throws InterruptedException;

}
