package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.observe.AbandonedRuns;

/**
 * Consumes one queue. Restartable: after {@link #stop} it may be started again. Safe for
 * use by several threads.
 */
public interface QueueConsumer {

	/**
	 * Starts reading. Returns at once, even while Redis is unreachable. Does nothing if
	 * the consumer runs.
	 */
	void start();

	/**
	 * Stops reading, waits for running handlers, releases messages that no handler has,
	 * and settles the rest. Does nothing if the consumer does not run.
	 * @param timeout how long to wait for running handlers
	 */
	void stop(Duration timeout);

	/** Pauses reading. Messages that were read already are handled. */
	void pause();

	/** Resumes reading. */
	void resume();

	/**
	 * Whether the consumer has been started and not stopped since.
	 * @return {@code true} if it runs, paused or not
	 */
	boolean isRunning();

	/**
	 * Whether it is paused.
	 * @return {@code true} between {@link #pause} and {@link #resume}
	 */
	boolean isPaused();

	/**
	 * The number of messages that handlers of this process have.
	 * @return a number from 0 to the queue's concurrency
	 */
	int inFlight();

	/**
	 * The calls of its handlers that were abandoned and have not ended.
	 * @return the calls at this moment
	 */
	AbandonedRuns abandoned();

	/**
	 * Whether due messages wait because of the limits of the queue.
	 * @return {@code true} if a limit has delayed messages in the last two minutes
	 */
	default boolean isThrottled() {
		return false;
	}

}
