package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.observe.AbandonedRuns;

/**
 * Consumes one queue. A consumer may be started again after {@link #stop}. Safe for use
 * by several threads.
 */
public interface QueueConsumer {

	/**
	 * Starts to read messages of the queue. This method returns at once, even while Redis
	 * is unreachable. Does nothing if the consumer already runs.
	 */
	void start();

	/**
	 * Stops this consumer: it stops reading, releases messages that no handler has begun,
	 * waits for running handlers, and settles their messages. Does nothing if the
	 * consumer does not run.
	 * @param timeout the longest wait for running handlers
	 */
	void stop(Duration timeout);

	/**
	 * Stops reading messages of the queue in this process until {@link #resume}. Handlers
	 * still get the messages that the consumer has read already.
	 */
	void pause();

	/** Resumes reading messages of the queue after {@link #pause}. */
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
	 * Returns how many messages the handlers of this consumer are working on, without the
	 * messages of abandoned (timed-out) handlers.
	 * @return a number from 0 to a maximum: the concurrency of the queue plus the
	 * concurrency of each group with workers of its own
	 */
	int inFlight();

	/**
	 * Returns the handler calls of this consumer that were abandoned after a timeout and
	 * whose handlers have not ended.
	 * @return the abandoned calls at this moment
	 */
	AbandonedRuns abandoned();

	/**
	 * Whether the limits of the queue delay the delivery of due messages.
	 * @return {@code true} if a limit has delayed messages in the last two minutes
	 */
	default boolean isThrottled() {
		return false;
	}

}
