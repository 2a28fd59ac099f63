package io.delayqueue.store;

import java.util.List;
import java.util.regex.Pattern;

import io.delayqueue.queue.Partition;

/**
 * The names of this library's keys and channels in Redis, which begin with one prefix.
 * All keys of a partition have the hash tag <code>{queue:partition}</code>, in a later
 * epoch <code>{queue:epoch:partition}</code>. The keys that all members (processes) share
 * have the hash tag <code>{members}</code>, except the key {@code queues}.
 */
public final class KeySpace {

	/** The name of the only consumer group of a partition's stream. */
	static final String GROUP = "consumers";

	/** The rule for a valid prefix, as text for error messages. */
	public static final String RULE = "1 to 100 characters of [A-Za-z0-9._:-], the first one a letter or a digit";

	private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,99}");

	private final String prefix;

	/**
	 * Creates the names with a prefix.
	 * @param prefix the beginning of all keys: 1 to 100 characters of
	 * {@code [A-Za-z0-9._:-]}, the first one a letter or a digit
	 * @throws IllegalArgumentException if the prefix has another form
	 */
	public KeySpace(String prefix) {
		if (!isPrefix(prefix)) {
			throw new IllegalArgumentException("delayqueue.key-prefix is '" + prefix + "' but must be " + RULE);
		}
		this.prefix = prefix;
	}

	/**
	 * Whether a text is a valid prefix.
	 * @param text the text
	 * @return whether the text follows the {@linkplain #RULE rule for a prefix}
	 */
	public static boolean isPrefix(String text) {
		return PREFIX.matcher(text).matches();
	}

	/** Returns the text with which all keys begin. */
	String beginning() {
		return this.prefix + ":";
	}

	String name(Partition partition, Key key) {
		return names(partition, List.of(key)).get(0);
	}

	/** Returns the names of keys of a partition, in the given order. */
	List<String> names(Partition partition, List<Key> keys) {
		String own = this.prefix + ":{" + partition + "}:";
		return keys.stream().map((key) -> key.isShared() ? shared(key) : own.concat(key.suffix())).toList();
	}

	private String shared(Key key) {
		return (key == Key.QUEUES) ? queues() : this.prefix + ":{members}:" + key.suffix();
	}

	/**
	 * Returns the name of the key that has the partition count of each queue's first
	 * epoch.
	 */
	String queues() {
		return this.prefix + ":queues";
	}

	/** Returns the name of the channel for hints to all processes. */
	String hints() {
		return this.prefix + ":hints";
	}

	/** Returns the name of the channel for hints to one member (process). */
	String hints(String member) {
		return hints() + ":" + member;
	}

}
