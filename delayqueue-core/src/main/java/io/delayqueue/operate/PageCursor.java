package io.delayqueue.operate;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.CRC32;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.store.Bookmark;
import org.jspecify.annotations.Nullable;

/**
 * The position where the next page of a queue's messages begins, as text that is safe in
 * a URL: letters, digits, {@code -} and {@code _}. The content is internal. A checksum
 * over the list and the position detects a cursor of another list and a changed one. It
 * is not a secret: a forged cursor only leads to another page.
 *
 * @param partition the partition's number
 * @param after the position in the partition
 */
record PageCursor(int partition, Bookmark after) {

	static final PageCursor BEGIN = new PageCursor(0, Bookmark.BEGIN);

	private static final String RULE = "the cursor of the previous page of the same list, or be left out to begin";

	private static final int SUM = Integer.BYTES;

	/** Checksum, number of the partition, length of the score or entry. */
	private static final int HEAD = SUM + Short.BYTES + 1;

	/** The text of the cursor, for the list with this name. */
	String toText(String list) {
		byte[] at = this.after.at().getBytes(StandardCharsets.US_ASCII);
		byte[] id = this.after.id();
		ByteBuffer bytes = ByteBuffer.allocate(HEAD + at.length + id.length);
		bytes.putInt(0).putShort((short) this.partition).put((byte) at.length).put(at).put(id);
		bytes.putInt(0, sum(list, bytes.array()));
		return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
	}

	/**
	 * Reads a text.
	 * @param text the text, {@code null} to begin
	 * @param list the name of the list
	 * @param inStream whether the list is one of streams
	 * @param partitions how many partitions there are
	 * @throws InvalidMessageException if the text is not a cursor of this list
	 */
	static PageCursor parse(@Nullable String text, String list, boolean inStream, int partitions) {
		if (text == null) {
			return BEGIN;
		}
		try {
			byte[] bytes = Base64.getUrlDecoder().decode(text);
			ByteBuffer content = ByteBuffer.wrap(bytes);
			if (bytes.length >= HEAD && content.getInt() == sum(list, bytes)) {
				int partition = content.getShort();
				byte[] at = new byte[content.get()];
				content.get(at);
				byte[] id = new byte[content.remaining()];
				content.get(id);
				PageCursor cursor = new PageCursor(partition,
						Bookmark.of(inStream, new String(at, StandardCharsets.US_ASCII), id));
				// The decoder ignores some bits, so two texts may decode to the same
				// cursor
				if (partition >= 0 && partition < partitions && cursor.toText(list).equals(text)) {
					return cursor;
				}
			}
		}
		catch (RuntimeException broken) {
			throw invalid(text);
		}
		throw invalid(text);
	}

	private static int sum(String list, byte[] bytes) {
		CRC32 sum = new CRC32();
		sum.update(list.getBytes(StandardCharsets.UTF_8));
		sum.update(0);
		sum.update(bytes, SUM, bytes.length - SUM);
		return (int) sum.getValue();
	}

	private static InvalidMessageException invalid(String text) {
		String shown = text.replaceAll("[^A-Za-z0-9_-]", "?");
		return new InvalidMessageException("from", shown.substring(0, Math.min(shown.length(), 20)), RULE);
	}

}
