package io.delayqueue.operate;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Function;
import java.util.zip.CRC32;

import io.delayqueue.InvalidMessageException;

/**
 * The position at which the next call on a queue continues, as text that is safe in a
 * URL: letters, digits, {@code -} and {@code _}. The content of a cursor is internal. A
 * checksum over the list and the position detects a changed cursor and a cursor of
 * another list. A cursor is not a secret: a forged cursor only leads to another page, or
 * to a check of other ids.
 *
 * @param partition the partition's number
 * @param position the position in the partition
 * @param <P> the type of the position
 */
record Cursor<P>(int partition, P position) {

	private static final int SUM = Integer.BYTES;

	/** Checksum, number of the partition. */
	private static final int HEAD = SUM + Short.BYTES;

	/** Writes a cursor as text, which is valid only for the list with this name. */
	static String text(String list, int partition, byte[] position) {
		ByteBuffer bytes = ByteBuffer.allocate(HEAD + position.length);
		bytes.putInt(0).putShort((short) partition).put(position);
		bytes.putInt(0, sum(list, bytes.array()));
		return text(bytes.array());
	}

	private static String text(byte[] bytes) {
		return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
	}

	/**
	 * Reads a text.
	 * @param text the text
	 * @param previous the description of the call that returned the text
	 * @param list the name of the list
	 * @param partitions how many partitions there are
	 * @param position reads the position
	 * @throws InvalidMessageException if the text is not a cursor of this list
	 */
	static <P> Cursor<P> parse(String text, String previous, String list, int partitions,
			Function<byte[], P> position) {
		try {
			byte[] bytes = Base64.getUrlDecoder().decode(text);
			ByteBuffer content = ByteBuffer.wrap(bytes);
			// The decoder ignores some bits, so two texts may decode to the same cursor
			if (bytes.length >= HEAD && content.getInt() == sum(list, bytes) && text(bytes).equals(text)) {
				int partition = content.getShort();
				byte[] rest = new byte[content.remaining()];
				content.get(rest);
				if (partition >= 0 && partition < partitions) {
					return new Cursor<>(partition, position.apply(rest));
				}
			}
		}
		catch (RuntimeException broken) {
			throw invalid(text, previous);
		}
		throw invalid(text, previous);
	}

	private static int sum(String list, byte[] bytes) {
		CRC32 sum = new CRC32();
		sum.update(list.getBytes(StandardCharsets.UTF_8));
		sum.update(0);
		sum.update(bytes, SUM, bytes.length - SUM);
		return (int) sum.getValue();
	}

	private static InvalidMessageException invalid(String text, String previous) {
		String shown = text.replaceAll("[^A-Za-z0-9_-]", "?");
		return new InvalidMessageException("from", shown.substring(0, Math.min(shown.length(), 20)),
				"the cursor of the previous " + previous + ", or be left out to begin");
	}

}
