package io.delayqueue.benchmark;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.delayqueue.test.redis.RedisServer;

/**
 * What is measured.
 */
interface Workload {

	/** Who takes part if nobody is named. */
	default Set<Contender> contenders() {
		return EnumSet.allOf(Contender.class);
	}

	/**
	 * How many rounds come first and do not count: two of short ones, for the JVM to
	 * compile.
	 */
	default int warmUps() {
		return 1;
	}

	/**
	 * Runs one round of one contender.
	 * @param contender who
	 * @param server an empty server that has nothing else to do
	 * @return what was measured
	 */
	List<Measured> run(Contender contender, RedisServer server) throws InterruptedException;

}
