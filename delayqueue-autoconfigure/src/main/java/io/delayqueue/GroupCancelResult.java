package io.delayqueue;

/**
 * What the cancelling of a group has removed.
 *
 * @param cancelled messages that no consumer had: no handler gets them
 * @param inFlight messages that a consumer had: its handler may finish, no retry follows
 */
public record GroupCancelResult(long cancelled, long inFlight) {

	/**
	 * All that was removed.
	 * @return the sum
	 */
	public long total() {
		return this.cancelled + this.inFlight;
	}

}
