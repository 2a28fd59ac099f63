package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Names one message: by queue and id and, where it has one and the caller knows it, by
 * group. With the group exactly one partition of the queue is asked; without it all of
 * them may be.
 *
 * @param queue the queue
 * @param id the message's id
 * @param group the group key, or {@code null} for "of any group"
 */
public record MessageKey(String queue, String id, @Nullable String group) {

	/**
	 * Checks the parts.
	 * @throws InvalidMessageException if a part breaks its rule
	 */
	public MessageKey {
		Rules.queue(queue);
		Rules.id(id);
		if (group != null) {
			Rules.group(group);
		}
	}

	/**
	 * A message of any group.
	 * @param queue the queue
	 * @param id the message's id
	 * @return the key
	 */
	public static MessageKey of(String queue, String id) {
		return new MessageKey(queue, id, null);
	}

	/**
	 * The same message, of a known group.
	 * @param group the group key that the message was scheduled with
	 * @return the key
	 */
	public MessageKey inGroup(String group) {
		return new MessageKey(this.queue, this.id, group);
	}

}
