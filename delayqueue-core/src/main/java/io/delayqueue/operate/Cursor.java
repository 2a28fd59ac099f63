package io.delayqueue.operate;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Function;
import java.util.zip.CRC32;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.queue.Partition;

/**
 * The position at which the next page of a list, or the next step of a repair, begins in
 * the partitions of a queue. A cursor is written as text that is safe in a URL: letters,
 * digits, {@code -} and {@code _}. The content of this text is internal. A checksum over
 * the name of the list and the position detects a changed cursor and a cursor of another
 * list. A cursor is not a secret: a forged cursor only leads to another page, or to a
 * repair of other ids.
 *
 * @param epoch the number of the epoch (partition count) of the partition
 * @param number the number of the partition
 * @param position the position in the partition
 * @param <P> the type of a position in a partition
 */
record Cursor<P>(int epoch, int number, P position) {

	private static final int SUM = Integer.BYTES;

	/**
	 * The length of the checksum, the epoch and the partition number in a cursor, bytes.
	 */
	private static final int HEAD = SUM + Integer.BYTES + Short.BYTES;

	/**
	 * Writes a cursor as text. The text is valid only for the list with the given name.
	 */
	static String text(String list, Partition partition, byte[] position) {
		ByteBuffer bytes = ByteBuffer.allocate(HEAD + position.length);
		bytes.putInt(0).putInt(partition.epoch()).putShort((short) partition.number()).put(position);
		bytes.putInt(0, sum(list, bytes.array()));
		return text(bytes.array());
	}

	private static String text(byte[] bytes) {
		return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
	}

	/**
	 * Reads a cursor from its text.
	 * @param text the text of the cursor
	 * @param previous the description of the call that returned the text, for the
	 * exception
	 * @param list the name of the list
	 * @param position reads the position in the partition
	 * @throws InvalidMessageException if the text is not a cursor of the list
	 */
	static <P> Cursor<P> parse(String text, String previous, String list, Function<byte[], P> position) {
		try {
			byte[] bytes = Base64.getUrlDecoder().decode(text);
			ByteBuffer content = ByteBuffer.wrap(bytes);
			// The Base64 decoder ignores some bits, so a changed text may decode to the
			// same cursor: compare the texts
			if (bytes.length >= HEAD && content.getInt() == sum(list, bytes) && text(bytes).equals(text)) {
				int epoch = content.getInt();
				int number = content.getShort();
				byte[] rest = new byte[content.remaining()];
				content.get(rest);
				if (epoch >= 0 && number >= 0) {
					return new Cursor<>(epoch, number, position.apply(rest));
				}
			}
		}
		catch (RuntimeException broken) {
			throw invalid(text, previous);
		}
		throw invalid(text, previous);
	}

	/**
	 * Returns whether a partition is the partition of this cursor or comes after that
	 * partition.
	 */
	boolean reaches(Partition partition) {
		return partition.epoch() > this.epoch || (partition.epoch() == this.epoch && partition.number() >= this.number);
	}

	/**
	 * Returns the position at which the next page begins in a partition. A partition
	 * after the partition of this cursor is read from its beginning.
	 */
	P positionIn(Partition partition, P begin) {
		return (partition.epoch() == this.epoch && partition.number() == this.number) ? this.position : begin;
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
