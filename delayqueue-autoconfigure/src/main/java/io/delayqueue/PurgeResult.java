package io.delayqueue;

/**
 * What a purge has removed. If an answer of Redis was lost on the way, it has removed up
 * to 100 messages more than it counts.
 *
 * @param queue the queue
 * @param waiting messages that no consumer had: no handler gets them
 * @param inFlight messages that a consumer had: its handler may finish, no retry follows
 * @param deadLetters dead letters; 0 unless they were asked for
 */
public record PurgeResult(String queue, long waiting, long inFlight, long deadLetters) {

	/**
	 * All that was removed.
	 * @return the sum
	 */
	public long total() {
		return this.waiting + this.inFlight + this.deadLetters;
	}

}
