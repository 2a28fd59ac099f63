package io.delayqueue.store;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.delayqueue.queue.Partition;
import org.jspecify.annotations.Nullable;

/**
 * A notice from one process to other processes, over Pub/Sub. Hints may be lost: then the
 * receiving process detects the event later, by its regular calls to Redis. For example,
 * a message that is scheduled shortly before it is due is delivered later.
 *
 * @param kind what has happened
 * @param partition the partition, {@code null} if the hint is about the members
 * @param entries the stream entries of cancelled or replaced messages
 */
public record Hint(Kind kind, @Nullable Partition partition, List<String> entries) {

	private static final String SEPARATOR = " ";

	private static final Pattern PLACE = Pattern.compile("(?:\\d{1,9}:)?\\d{1,4}");

	/** The event that a hint reports, and what the receiving process does. */
	public enum Kind {

		/**
		 * The partition has a new first due message: the receiving process sweeps the
		 * partition when this message is due.
		 */
		DUE(""),

		/** The partition has undelivered messages: the receiving process reads them. */
		READY("ready"),

		/**
		 * The partition was paused, held or resumed: the receiving process reads the
		 * state of the partition.
		 */
		SWITCHED("switched"),

		/**
		 * Messages have ended while a consumer held them: the receiving process may
		 * interrupt their handlers.
		 */
		CANCELLED("cancelled"),

		/**
		 * Messages were replaced while a consumer held them: the receiving process begins
		 * no handler of the old messages, and lets a running handler end.
		 */
		REPLACED("replaced"),

		/** The list of members (processes that consume queues) has changed. */
		MEMBERS("members");

		private final String word;

		Kind(String word) {
			this.word = word;
		}

	}

	private static final Pattern ENTRY = Pattern.compile("\\d{1,20}-\\d{1,20}");

	/** The list of members (processes that consume queues) has changed. */
	public static final Hint MEMBERS = new Hint(Kind.MEMBERS, null);

	/** Makes a hint with a copy of the entries. */
	public Hint {
		entries = List.copyOf(entries);
	}

	/**
	 * Makes a hint without stream entries.
	 * @param kind what has happened
	 * @param partition the partition, {@code null} if the hint is about the members
	 */
	public Hint(Kind kind, @Nullable Partition partition) {
		this(kind, partition, List.of());
	}

	/**
	 * Returns the text of the hint to publish. Older versions of the library read only
	 * hints of kind {@link Kind#DUE}.
	 */
	String text(String sender) {
		if (this.partition == null) {
			return String.join(SEPARATOR, sender, this.kind.word);
		}
		String text = String.join(SEPARATOR, sender, this.partition.queue(), this.partition.place());
		if (this.kind == Kind.DUE) {
			return text;
		}
		return String.join(SEPARATOR, Stream.concat(Stream.of(text, this.kind.word), this.entries.stream()).toList());
	}

	/**
	 * Reads a hint from the text that another process published.
	 * @param receiver the value that names this process as the sender in its hints; the
	 * process ignores hints with this value
	 * @return {@code null} if this process does not need the hint
	 */
	static @Nullable Hint from(String text, String receiver) {
		String[] words = text.split(SEPARATOR, -1);
		if (words[0].equals(receiver)) {
			return null;
		}
		if (words.length == 2) {
			return words[1].equals(Kind.MEMBERS.word) ? MEMBERS : null;
		}
		Matcher place = PLACE.matcher((words.length > 2) ? words[2] : "");
		if (!place.matches()) {
			return null;
		}
		Partition partition = Partition.at(words[1], place.group());
		String word = (words.length > 3) ? words[3] : "";
		List<String> entries = Stream.of(words).skip(4).filter((entry) -> ENTRY.matcher(entry).matches()).toList();
		for (Kind kind : Kind.values()) {
			if (kind != Kind.MEMBERS && kind.word.equals(word)) {
				return new Hint(kind, partition, entries);
			}
		}
		return null;
	}

}
