package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The wait after failures in a row of an action that is repeated until it succeeds: 50
 * ms, doubled each time up to 1 s, minus up to a fifth at random, so that many processes
 * do not retry at the same time.
 */
public final class Backoff {

	private static final long FIRST_MILLIS = 50;

	private static final long MOST_MILLIS = 1000;

	private static final int DOUBLINGS = 5;

	private Backoff() {
	}

	/**
	 * The wait before the next try.
	 * @param failures the number of failures in a row, 1 or more
	 * @return the wait
	 */
	public static Duration after(int failures) {
		long millis = Math.min(MOST_MILLIS, FIRST_MILLIS << Math.min(Math.max(failures, 1) - 1, DOUBLINGS));
		return Duration.ofMillis(millis - ThreadLocalRandom.current().nextLong(millis / 5 + 1));
	}

}
