package io.delayqueue;

/**
 * The number of messages that the cancellation of a group has removed.
 *
 * @param cancelled messages that were removed before their delivery: no handler receives
 * them
 * @param inFlight messages that a consumer held: its handler may finish, no retry follows
 */
public record GroupCancelResult(long cancelled, long inFlight) {

	/**
	 * Returns the total.
	 * @return the number of removed messages
	 */
	public long total() {
		return this.cancelled + this.inFlight;
	}

}
