package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Counts the consecutive failures of one background activity, logs when the activity
 * begins to fail and when it works again, and computes the wait after each failure.
 * Confined to the thread of the activity, except for {@link #status}.
 */
public final class FailureTrack {

	private static final Log logger = LogFactory.getLog(FailureTrack.class);

	/**
	 * The number of consecutive failures after which the first warning is logged. A
	 * single failure is usual, because each pooled connection fails once after a restart
	 * of Redis.
	 */
	private static final int WORTH_A_WARNING = 2;

	private static final long FIRST_PAUSE_MILLIS = 50;

	static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	private static final int DOUBLINGS = 5;

	private final String name;

	private volatile @Nullable Row row;

	/**
	 * Creates a track of an activity that has not failed.
	 * @param name the activity's name, for the log
	 */
	public FailureTrack(String name) {
		this.name = name;
	}

	/** Consecutive failures of the activity, without a successful run in between. */
	private record Row(int failures, long sinceNanos, Throwable last) {

		Duration age() {
			return Duration.ofNanos(System.nanoTime() - this.sinceNanos);
		}

	}

	/** Records a successful run of the activity. */
	public void succeeded() {
		Row before = this.row;
		if (before != null) {
			if (before.failures() >= WORTH_A_WARNING) {
				logger.info(this.name + " works again after " + before.failures() + " failures in a row");
			}
			this.row = null;
		}
	}

	/**
	 * Records a failed run of the activity.
	 * @param failure the cause
	 * @return the wait before the next run of the activity
	 */
	public Duration failed(Throwable failure) {
		Row before = this.row;
		Row now = (before != null) ? new Row(before.failures() + 1, before.sinceNanos(), failure)
				: new Row(1, System.nanoTime(), failure);
		this.row = now;
		Duration pause = pauseAfter(now.failures());
		if (now.failures() == WORTH_A_WARNING || (now.failures() > WORTH_A_WARNING && isDifferent(before, failure))) {
			logger.warn(this.name + " failed " + now.failures() + " times in a row and goes on trying: " + failure);
		}
		logger.debug(this.name + " failed " + now.failures() + " times in a row", failure);
		return pause;
	}

	/**
	 * Returns the wait after consecutive failures, before the next run of the activity:
	 * 50 ms, doubled after each further failure up to 1 s, minus up to a fifth at random,
	 * so that many processes do not retry at the same time.
	 */
	static Duration pauseAfter(int failures) {
		long millis = Math.min(LONGEST_PAUSE.toMillis(), FIRST_PAUSE_MILLIS << Math.min(failures - 1, DOUBLINGS));
		return Duration.ofMillis(millis - ThreadLocalRandom.current().nextLong(millis / 5 + 1));
	}

	private static boolean isDifferent(@Nullable Row before, Throwable failure) {
		return before == null || !Objects.equals(before.last().getMessage(), failure.getMessage());
	}

	/**
	 * Returns the status of the activity.
	 * @return the status at this moment
	 */
	public TaskStatus status() {
		Row now = this.row;
		return (now != null) ? new TaskStatus(this.name, now.failures(), now.age(), now.last())
				: new TaskStatus(this.name, 0, Duration.ZERO, null);
	}

}
