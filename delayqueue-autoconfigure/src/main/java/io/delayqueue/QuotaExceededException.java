package io.delayqueue;

/**
 * A message was not scheduled, because as many messages of its group wait as the quota of
 * its queue allows: nothing was stored. There is room again when one of them has been
 * handled, cancelled or set aside.
 */
public final class QuotaExceededException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final String group;

	private final int quota;

	/**
	 * Creates the exception.
	 * @param queue the queue
	 * @param messageId the message's id, given by the caller or generated
	 * @param group the group key
	 * @param quota the most messages of one group that may wait at once
	 */
	public QuotaExceededException(String queue, String messageId, String group, int quota) {
		super("Message '" + messageId + "' was not scheduled, nothing is stored: group '" + group + "' of queue '"
				+ queue + "' has used up its quota of " + quota + "; try again when one of its messages is through,"
				+ " cancel one, or raise group.quota of the queue", queue, messageId, null);
		this.group = group;
		this.quota = quota;
	}

	/**
	 * The group that has no room.
	 * @return the group key
	 */
	public String group() {
		return this.group;
	}

	/**
	 * The quota of its queue.
	 * @return the most messages of one group that may wait at once, 1 or more
	 */
	public int quota() {
		return this.quota;
	}

}
