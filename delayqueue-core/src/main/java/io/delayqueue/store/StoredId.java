package io.delayqueue.store;

import io.delayqueue.MessageKey;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a message in its queue, by which the keys of a partition name the
 * message: its id, or for a message with a group its id, the byte 1 and its group. Ids
 * and groups contain no control characters. Scripts use this name as it is.
 *
 * @param id the id of the message
 * @param group the group of the message, {@code null} if it has none
 */
public record StoredId(String id, @Nullable String group) {

	private static final char SEPARATOR = 1;

	/**
	 * Returns the identity of the message that a key names exactly.
	 * @param key the key; if it has no group, the identity is that of a message without a
	 * group
	 * @return the identity
	 */
	public static StoredId of(MessageKey key) {
		return new StoredId(key.id(), key.group());
	}

	/**
	 * Reads the identity of a message from the form that Redis stores.
	 * @param bytes the bytes
	 * @return the identity
	 */
	public static StoredId from(byte[] bytes) {
		String text = Reply.text(bytes);
		int end = text.indexOf(SEPARATOR);
		return (end < 0) ? new StoredId(text, null) : new StoredId(text.substring(0, end), text.substring(end + 1));
	}

	/**
	 * Returns the identity in the form that Redis stores.
	 * @return the bytes
	 */
	public byte[] toBytes() {
		return Reply.bytes((this.group != null) ? this.id + SEPARATOR + this.group : this.id);
	}

	/** Returns the id and the group for log lines. */
	@Override
	public String toString() {
		return (this.group != null) ? "'" + this.id + "' of group '" + this.group + "'" : "'" + this.id + "'";
	}

}
