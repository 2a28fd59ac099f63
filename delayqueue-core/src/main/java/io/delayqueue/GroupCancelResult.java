package io.delayqueue;

/**
 * The numbers of messages that the cancellation of a group has removed.
 *
 * @param cancelled the number of messages removed before their delivery: no handler
 * receives them
 * @param inFlight the number of removed messages that a consumer held: their handlers may
 * finish, but the messages are not retried
 */
public record GroupCancelResult(long cancelled, long inFlight) {

	/**
	 * Returns the total number of messages that the cancellation of a group has removed.
	 * @return the sum of {@code cancelled} and {@code inFlight}
	 */
	public long total() {
		return this.cancelled + this.inFlight;
	}

}
