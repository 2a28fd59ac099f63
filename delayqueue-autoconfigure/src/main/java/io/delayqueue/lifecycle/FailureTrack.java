package io.delayqueue.lifecycle;

import java.time.Duration;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Keeps count of the failures in a row of one background activity, says in the log when
 * it starts to fail and when it works again, and how long to wait in between. Confined to
 * the activity, except for {@link #status}.
 */
public final class FailureTrack {

	private static final Log logger = LogFactory.getLog(FailureTrack.class);

	private final String name;

	private volatile int failures;

	private volatile @Nullable Throwable lastFailure;

	/**
	 * Creates a track without failures.
	 * @param name the activity's name, for the log
	 */
	public FailureTrack(String name) {
		this.name = name;
	}

	/** A run was good. */
	public void succeeded() {
		if (this.failures > 0) {
			logger.info(this.name + " works again after " + this.failures + " failures");
			this.failures = 0;
			this.lastFailure = null;
		}
	}

	/**
	 * A run failed.
	 * @param failure why
	 * @return how long to wait before the next one
	 */
	public Duration failed(Throwable failure) {
		Throwable last = this.lastFailure;
		int inARow = this.failures + 1;
		this.failures = inARow;
		this.lastFailure = failure;
		Duration pause = Backoff.after(inARow);
		boolean news = last == null || !String.valueOf(last.getMessage()).equals(failure.getMessage());
		if (news) {
			logger.warn(this.name + " failed and goes on trying, " + pause.toMillis() + " ms from now: " + failure);
		}
		logger.debug(this.name + " failed " + inARow + " times in a row", failure);
		return pause;
	}

	/**
	 * How the activity fares.
	 * @param alive whether it goes on
	 * @return its status at this moment
	 */
	public LoopStatus status(boolean alive) {
		return new LoopStatus(this.name, alive, this.failures, this.lastFailure);
	}

}
