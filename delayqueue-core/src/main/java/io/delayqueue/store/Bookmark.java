package io.delayqueue.store;

import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * A position in the order of a partition's messages of one state: behind a message, which
 * may be gone. A listing that continues from it neither repeats a message nor misses one
 * that stays, even if messages are added or removed meanwhile. Immutable.
 */
public final class Bookmark {

	/** Before the first message. */
	public static final Bookmark BEGIN = new Bookmark("", new byte[0], "");

	/**
	 * Before the first message; the pages end behind the message that is last at the
	 * first page, so that a walk does not list messages that are added at the end
	 * meanwhile. For scheduled and dead messages.
	 */
	public static final Bookmark BEGIN_BOUNDED = new Bookmark("", new byte[0], "last");

	/** A score in the form of a Redis reply. */
	private static final Pattern SCORE = Pattern.compile("-?(inf|\\d{1,20}(\\.\\d{1,20})?(e[+-]?\\d{1,3})?)");

	/** Fewer digits than an entry id may have, so that a next id always exists. */
	private static final Pattern ENTRY = Pattern.compile("\\d{1,19}-\\d{1,19}");

	private final String at;

	private final byte[] id;

	private final String bound;

	private Bookmark(String at, byte[] id, String bound) {
		this.at = at;
		this.id = id;
		this.bound = bound;
	}

	/** Behind a member of a sorted set; before the first one if there is no score. */
	static Bookmark behind(String score, byte[] id) {
		return behind(score, id, "");
	}

	/** As above, with the score behind which the pages end; empty for none. */
	static Bookmark behind(String score, byte[] id, String bound) {
		return new Bookmark(score, id, bound);
	}

	/** Behind an entry of the stream. */
	static Bookmark behind(String entry) {
		return behind(entry, new byte[0]);
	}

	/**
	 * The score of the message, or the id of its stream entry, as Redis writes it.
	 * @return ASCII of at most 50 characters; empty before the first message
	 */
	public String at() {
		return this.at;
	}

	/**
	 * The id of the message, as it is stored.
	 * @return a copy; empty where {@link #at} alone gives the position
	 */
	public byte[] id() {
		return this.id.clone();
	}

	/** The score behind which the pages end, in the form of the scripts' argument. */
	String bound() {
		return this.bound;
	}

	/**
	 * Creates a bookmark from its parts, without a bound.
	 * @param inStream whether it is a position in a stream
	 * @param at the value of {@link #at}
	 * @param id the value of {@link #id}
	 * @return the bookmark
	 * @throws IllegalArgumentException if the parts have another form
	 */
	public static Bookmark of(boolean inStream, String at, byte[] id) {
		boolean alone = at.isEmpty() || inStream;
		if ((!at.isEmpty() && !(inStream ? ENTRY : SCORE).matcher(at).matches()) || (alone && id.length > 0)) {
			throw new IllegalArgumentException("Not a position in a list of messages");
		}
		return behind(at, id.clone());
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof Bookmark that && this.at.equals(that.at) && Arrays.equals(this.id, that.id)
				&& this.bound.equals(that.bound);
	}

	@Override
	public int hashCode() {
		return 31 * this.at.hashCode() + Arrays.hashCode(this.id);
	}

	@Override
	public String toString() {
		return this.at.isEmpty() ? "begin" : this.at + " " + Reply.text(this.id);
	}

}
