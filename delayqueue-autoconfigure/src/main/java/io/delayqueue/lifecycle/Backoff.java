package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait after failures in a row of something that is tried until it works: 50
 * ms, doubled each time up to 1 s, minus up to a fifth of it at random, so that many
 * processes do not come back as one.
 */
public final class Backoff {

	private static final long FIRST_MILLIS = 50;

	private static final long MOST_MILLIS = 1000;

	private static final int DOUBLINGS = 5;

	private Backoff() {
	}

	/**
	 * The wait.
	 * @param failures how many failures in a row, 1 or more
	 * @return how long to wait before the next try
	 */
	public static Duration after(int failures) {
		long millis = Math.min(MOST_MILLIS, FIRST_MILLIS << Math.min(Math.max(failures, 1) - 1, DOUBLINGS));
		return Duration.ofMillis(millis - ThreadLocalRandom.current().nextLong(millis / 5 + 1));
	}

}
