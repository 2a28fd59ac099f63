package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Identifies one message by queue, id and group key. Messages of several groups, and one
 * without a group, may have the same id at the same time. A call with a group key queries
 * exactly one partition of the queue; a call without a group key may query all
 * partitions.
 *
 * <p>
 * A key without a group key means the message without a group. If there is none, the key
 * means a message of any group: always the same one while the messages and the partition
 * count stay the same, and of those in one partition the one whose group is the first in
 * the order of bytes. While the partition count changes, messages of groups in earlier
 * partitions come before those in newer ones.
 *
 * @param queue the queue
 * @param id the message's id
 * @param group the group key; {@code null} if the message has none, or may have any
 */
public record MessageKey(String queue, String id, @Nullable String group) {

	/**
	 * Checks the queue, the id and the group key.
	 * @throws InvalidMessageException if a component is invalid
	 */
	public MessageKey {
		Rules.queue(queue);
		Rules.id(id);
		if (group != null) {
			Rules.group(group);
		}
	}

	/**
	 * Creates a key for a message without a group, or of any group.
	 * @param queue the queue
	 * @param id the message's id
	 * @return the key
	 */
	public static MessageKey of(String queue, String id) {
		return new MessageKey(queue, id, null);
	}

	/**
	 * Returns a message key with the queue and id of this key and a group key.
	 * @param group the group key that the message was scheduled with
	 * @return the key
	 */
	public MessageKey inGroup(String group) {
		return new MessageKey(this.queue, this.id, group);
	}

}
