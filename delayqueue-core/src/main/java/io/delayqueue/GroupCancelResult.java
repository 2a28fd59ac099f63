package io.delayqueue;

/**
 * The numbers of messages that the cancellation of a group has removed.
 *
 * @param cancelled the number of messages removed before their delivery: no handler
 * receives them
 * @param inFlight the number of removed messages that a consumer held: their handlers may
 * finish, and no retry follows
 */
public record GroupCancelResult(long cancelled, long inFlight) {

	/**
	 * Returns the total number of removed messages.
	 * @return the number of removed messages
	 */
	public long total() {
		return this.cancelled + this.inFlight;
	}

}
