package io.delayqueue.admin;

/**
 * The numbers of messages that the purge of a queue has removed. For each lost reply of
 * Redis the numbers may be too low by up to 100.
 *
 * @param queue the queue
 * @param waiting the number of messages removed before their delivery: no handler
 * receives them
 * @param inFlight the number of removed messages that a consumer held: their handlers may
 * finish, but the messages are not retried
 * @param deadLetters the number of removed dead letters; 0 for
 * {@link DelayQueueAdmin#purge}
 */
public record PurgeResult(String queue, long waiting, long inFlight, long deadLetters) {

	/**
	 * Returns the total number of messages that the purge has removed.
	 * @return the sum of the three numbers
	 */
	public long total() {
		return this.waiting + this.inFlight + this.deadLetters;
	}

}
