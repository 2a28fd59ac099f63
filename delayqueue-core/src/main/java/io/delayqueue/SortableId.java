package io.delayqueue;

import java.math.BigInteger;

/**
 * Converts any 64-bit number to an id of fixed width whose text order is the numeric
 * order, and back. Messages with the same due time are delivered in the order of their
 * ids, so numbers such as Snowflake ids keep their exact order. The score of a sorted set
 * would not keep the order of such numbers, because a double is exact only up to
 * 2<sup>53</sup>.
 *
 * <p>
 * A sortable id is a letter and 19 decimal digits: {@code p} and the number itself if it
 * is 0 or more, {@code n} and the distance from {@link Long#MIN_VALUE} if it is negative.
 */
public final class SortableId {

	private static final int DIGITS = 19;

	private static final BigInteger LOWEST = BigInteger.valueOf(Long.MIN_VALUE);

	private SortableId() {
	}

	/**
	 * Converts a number to a sortable id.
	 * @param number any number
	 * @return the id, 20 characters
	 */
	public static String of(long number) {
		if (number >= 0) {
			return padded('p', Long.toString(number));
		}
		return padded('n', BigInteger.valueOf(number).subtract(LOWEST).toString());
	}

	/**
	 * Converts a sortable id to its number.
	 * @param id an id that {@link #of} returned
	 * @return the number
	 * @throws InvalidMessageException if the id does not have that form
	 */
	public static long toLong(String id) {
		if (id != null && id.length() == DIGITS + 1 && id.chars().skip(1).allMatch((c) -> c >= '0' && c <= '9')) {
			BigInteger digits = new BigInteger(id.substring(1));
			BigInteger number = (id.charAt(0) == 'n') ? digits.add(LOWEST) : digits;
			boolean negative = number.signum() < 0;
			if (number.bitLength() < Long.SIZE && id.charAt(0) == (negative ? 'n' : 'p')) {
				return number.longValueExact();
			}
		}
		throw Rules.invalid("sortable id", id, "'p' or 'n' and " + DIGITS + " digits, as SortableId.of makes it");
	}

	private static String padded(char sign, String digits) {
		return sign + "0".repeat(DIGITS - digits.length()) + digits;
	}

}
