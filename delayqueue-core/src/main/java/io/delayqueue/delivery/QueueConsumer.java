package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.observe.AbandonedRuns;

/**
 * Consumes one queue. A consumer may be started again after {@link #stop}. Safe for use
 * by several threads.
 */
public interface QueueConsumer {

	/**
	 * Starts reading. Returns at once, even while Redis is unreachable. Does nothing if
	 * the consumer runs.
	 */
	void start();

	/**
	 * Stops reading, releases messages that no handler has begun, waits for running
	 * handlers, and settles the messages of these handlers. Does nothing if the consumer
	 * does not run.
	 * @param timeout how long to wait for running handlers
	 */
	void stop(Duration timeout);

	/** Pauses reading in this process. Messages that were read already are handled. */
	void pause();

	/** Resumes reading after {@link #pause}. */
	void resume();

	/**
	 * Whether the consumer has been started and not stopped since.
	 * @return {@code true} if the consumer runs, paused or not
	 */
	boolean isRunning();

	/**
	 * Whether the consumer is paused in this process.
	 * @return {@code true} between {@link #pause} and {@link #resume}
	 */
	boolean isPaused();

	/**
	 * The number of messages that handlers of this consumer have at the moment.
	 * @return a number from 0 to the queue's concurrency
	 */
	int inFlight();

	/**
	 * The handler calls of this consumer that were abandoned after a timeout and have not
	 * ended.
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
