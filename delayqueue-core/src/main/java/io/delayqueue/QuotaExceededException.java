package io.delayqueue;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a message was not scheduled or not redriven, because its group has used up
 * the quota of the queue: nothing was changed in Redis. A slot of the quota becomes free
 * when a message of the group is handled, cancelled, dropped or, unless the queue has
 * {@code group.count-dead}, dead-lettered.
 */
public final class QuotaExceededException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final @Nullable String group;

	private final int quota;

	/**
	 * Creates the exception.
	 * @param queue the queue
	 * @param messageId the message's id, given by the caller or generated
	 * @param group the group key, {@code null} if the caller did not specify it
	 * @param quota the most messages of one group that may wait at once
	 */
	public QuotaExceededException(String queue, String messageId, @Nullable String group, int quota) {
		super("Message '" + messageId + "' was not scheduled, and nothing has changed: "
				+ ((group != null) ? "group '" + group + "'" : "its group") + " of queue '" + queue
				+ "' has used up its quota of " + quota + "; try again when one of its messages has finished,"
				+ " cancel one, or raise delayqueue.queues." + queue + ".group.quota", queue, messageId, null);
		this.group = group;
		this.quota = quota;
	}

	/**
	 * Returns the group that has used up its quota.
	 * @return the group key, empty if the caller did not specify it
	 */
	public Optional<String> group() {
		return Optional.ofNullable(this.group);
	}

	/**
	 * Returns the quota of the queue.
	 * @return the most messages of one group that may wait at once, 1 or more
	 */
	public int quota() {
		return this.quota;
	}

}
