package io.delayqueue;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A message was not scheduled, or not redriven, because as many messages of its group
 * wait as the quota of its queue allows: nothing was changed. There is room again when
 * one of them has been handled, cancelled or set aside.
 */
public final class QuotaExceededException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final @Nullable String group;

	private final int quota;

	/**
	 * Creates the exception.
	 * @param queue the queue
	 * @param messageId the message's id, given by the caller or generated
	 * @param group the group key, {@code null} if the caller did not say it
	 * @param quota the most messages of one group that may wait at once
	 */
	public QuotaExceededException(String queue, String messageId, @Nullable String group, int quota) {
		super("Message '" + messageId + "' was not scheduled, nothing is changed: "
				+ ((group != null) ? "group '" + group + "'" : "its group") + " of queue '" + queue
				+ "' has used up its quota of " + quota + "; try again when one of its messages is through,"
				+ " cancel one, or raise delayqueue.queues." + queue + ".group.quota", queue, messageId, null);
		this.group = group;
		this.quota = quota;
	}

	/**
	 * The group that has no room.
	 * @return the group key, empty if the caller did not say it
	 */
	public Optional<String> group() {
		return Optional.ofNullable(this.group);
	}

	/**
	 * The quota of its queue.
	 * @return the most messages of one group that may wait at once, 1 or more
	 */
	public int quota() {
		return this.quota;
	}

}
