package io.delayqueue.queue;

import java.time.Clock;
import java.util.function.LongSupplier;

/**
 * Makes ids for messages whose caller gives none: 24 characters, ordered by time and
 * within this process strictly increasing, that carry the message's partition.
 *
 * <p>
 * The form, in an alphabet whose order is that of its bytes: 9 characters of time in ms,
 * 4 that count within it from a random number on, 9 random ones, 2 of partition. The time
 * only orders ids; nothing is decided by it. Ids that are made in one ms differ by the
 * count in one process, and by 64 random bits in several. Safe for use by several
 * threads.
 */
public final class GeneratedIds {

	private static final int LENGTH = 24;

	private static final int BITS = 5;

	private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

	/** The place of each character of ASCII in the alphabet, -1 if it has none. */
	private static final byte[] DIGITS = digits();

	private static final int PARTITION_CHARACTERS = 2;

	private static final int RANDOM_CHARACTERS = 9;

	private static final long COUNTS = 1L << (4 * BITS);

	private final Clock clock;

	private final LongSupplier random;

	private long last;

	/**
	 * Creates a source of ids.
	 * @param clock gives the time that ids are ordered by
	 */
	public GeneratedIds(Clock clock) {
		this(clock, RandomBits::next);
	}

	GeneratedIds(Clock clock, LongSupplier random) {
		this.clock = clock;
		this.random = random;
	}

	/**
	 * The next id.
	 * @param partition the partition that it carries
	 * @return 24 characters of ASCII
	 */
	public String next(int partition) {
		long bits = this.random.getAsLong();
		// What the random characters leave, less than half of the counts of a ms
		long stamp = nextStamp(bits >>> (RANDOM_CHARACTERS * BITS));
		return text(stamp, 13) + text(bits, RANDOM_CHARACTERS) + text(partition, PARTITION_CHARACTERS);
	}

	/** Time and count in one number, larger than any before, whatever the clock does. */
	private synchronized long nextStamp(long count) {
		this.last = Math.max(this.clock.millis() * COUNTS + count, this.last + 1);
		return this.last;
	}

	/**
	 * The partition that an id of this form carries. A caller's id may have the form as
	 * well: all that matters is that the same id always gives the same answer.
	 * @param id any id
	 * @return the partition's number, or -1 if the id has another form
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
