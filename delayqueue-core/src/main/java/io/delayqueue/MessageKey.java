package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Identifies one message by queue, id and optionally group key. A call with a group key
 * queries exactly one partition of the queue; a call without a group key may query all
 * partitions.
 *
 * @param queue the queue
 * @param id the message's id
 * @param group the group key; {@code null} if the message may have any group or no group
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
	 * Creates a key for a message of any group.
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
