package io.delayqueue.queue;

import java.time.Clock;
import java.util.function.LongSupplier;

/**
 * Generates ids for messages to which the caller gives no id. An id has 24 characters and
 * contains the partition of the message. Ids are ordered by time, and strictly increase
 * within this process.
 *
 * <p>
 * The form of an id, in an alphabet ordered by byte value: 9 characters of time in ms; 4
 * characters of a counter within the millisecond, which starts at a random number; 9
 * random characters; 2 characters of the partition. The time only orders ids; no decision
 * depends on the time. Ids of the same millisecond differ by the counter within a
 * process, and by 64 random bits between processes. Safe for use by several threads.
 */
public final class GeneratedIds {

	private static final int LENGTH = 24;

	private static final int BITS = 5;

	private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

	/**
	 * The index of each ASCII character in the alphabet, -1 if the character is not in
	 * the alphabet.
	 */
	private static final byte[] DIGITS = digits();

	private static final int PARTITION_CHARACTERS = 2;

	private static final int RANDOM_CHARACTERS = 9;

	private static final long COUNTS = 1L << (4 * BITS);

	private final Clock clock;

	private final LongSupplier random;

	private long last;

	/**
	 * Creates a generator of ids.
	 * @param clock the clock whose time orders the ids
	 */
	public GeneratedIds(Clock clock) {
		this(clock, RandomBits::next);
	}

	GeneratedIds(Clock clock, LongSupplier random) {
		this.clock = clock;
		this.random = random;
	}

	/**
	 * Generates an id.
	 * @param partition the number of the partition to encode
	 * @return 24 ASCII characters
	 */
	public String next(int partition) {
		long bits = this.random.getAsLong();
		// The counter of 20 bits starts at a random number of 19 bits: the bits that the
		// random characters do not use. So at least half of the counter's range is left
		long stamp = nextStamp(bits >>> (RANDOM_CHARACTERS * BITS));
		return text(stamp, 13) + text(bits, RANDOM_CHARACTERS) + text(partition, PARTITION_CHARACTERS);
	}

	/**
	 * Returns the time and the counter of an id in one number, which increases even if
	 * the clock goes back.
	 */
	private synchronized long nextStamp(long count) {
		this.last = Math.max(this.clock.millis() * COUNTS + count, this.last + 1);
		return this.last;
	}

	/**
	 * Reads the number of the partition from a generated id. An id of a caller may have
	 * the form of a generated id by chance; this does no harm, because the same id always
	 * gives the same partition.
	 * @param id any id
	 * @return the number of the partition, -1 if the id does not have the form of a
	 * generated id
	 */
	public static int partitionOf(String id) {
		if (id.length() != LENGTH) {
			return -1;
		}
		int partition = 0;
		for (int i = 0; i < LENGTH; i++) {
			char character = id.charAt(i);
			int digit = (character < DIGITS.length) ? DIGITS[character] : -1;
			if (digit < 0) {
				return -1;
			}
			partition = (i >= LENGTH - PARTITION_CHARACTERS) ? (partition << BITS) + digit : 0;
		}
		return partition % QueueSettings.MAX_PARTITIONS;
	}

	private static byte[] digits() {
		byte[] digits = new byte[128];
		for (char character = 0; character < digits.length; character++) {
			digits[character] = (byte) ALPHABET.indexOf(character);
		}
		return digits;
	}

	private static String text(long number, int length) {
		char[] text = new char[length];
		long rest = number;
		for (int i = length - 1; i >= 0; i--) {
			text[i] = ALPHABET.charAt((int) (rest & 31));
			rest >>>= BITS;
		}
		return new String(text);
	}

}
