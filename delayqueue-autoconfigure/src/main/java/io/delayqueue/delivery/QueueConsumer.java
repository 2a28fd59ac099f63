package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.observe.AbandonedRuns;

/**
 * Consumes one queue. Restartable: after {@link #stop} it may be started again. Safe for
 * use by several threads.
 */
public interface QueueConsumer {

	/**
	 * Starts reading. Returns at once, also while Redis is away. Does nothing if it runs.
	 */
	void start();

	/**
	 * Stops reading, lets running handlers finish, gives back what was not started, and
	 * settles the rest. Does nothing if it does not run.
	 * @param timeout how long to wait for running handlers
	 */
	void stop(Duration timeout);

	/** Stops reading; what was read is handled. */
	void pause();

	/** Reads again. */
	void resume();

	/**
	 * Whether it was started and not stopped since.
	 * @return {@code true} if it runs, paused or not
	 */
	boolean isRunning();

	/**
	 * Whether it is paused.
	 * @return {@code true} between {@link #pause} and {@link #resume}
	 */
	boolean isPaused();

	/**
	 * How many messages this process handles at this moment.
	 * @return a number from 0 to the queue's concurrency
	 */
	int inFlight();

	/**
	 * The calls of its handlers that were abandoned and have not ended.
	 * @return them, as they are at this moment
	 */
	AbandonedRuns abandoned();

}
