package io.delayqueue.admin;

/**
 * The number of messages that a purge has removed. If a reply of Redis was lost, the
 * purge has removed up to 100 messages more than these numbers count.
 *
 * @param queue the queue
 * @param waiting messages that were removed before their delivery: no handler receives
 * them
 * @param inFlight messages that a consumer held: its handler may finish, no retry follows
 * @param deadLetters dead letters; 0 for {@link DelayQueueAdmin#purge}
 */
public record PurgeResult(String queue, long waiting, long inFlight, long deadLetters) {

	/**
	 * Returns the total.
	 * @return the number of removed messages
	 */
	public long total() {
		return this.waiting + this.inFlight + this.deadLetters;
	}

}
