package io.delayqueue.record;

import java.nio.ByteBuffer;
import java.time.Duration;

import io.delayqueue.DurationText;
import io.delayqueue.queue.RandomBits;

/**
 * Creates tokens. A token identifies one call of a producer, so that the scripts
 * recognise a repeat of the call. A token consists of 64 random bits, written as 11
 * characters, and need not be secret.
 *
 * <p>
 * A lasting token identifies a call that is stored outside Redis and may be repeated much
 * later. A lasting token has 60 random bits. The last character of a lasting token
 * encodes the time for which all scripts recognise a repeat of the call: 2^n minutes,
 * from {@code G} for n = 0 to {@code U} for n = 14. No other token ends with one of these
 * characters.
 */
public final class CallToken {

	/** The number of characters of a token. */
	public static final int LENGTH = 11;

	private static final char[] ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-"
		.toCharArray();

	/**
	 * The longest time for which scripts recognise a repeat by a lasting token: 2^14
	 * minutes.
	 */
	public static final Duration LONGEST_WINDOW = Duration.ofMinutes(1 << 14);

	private static final int FIRST_CLASS = 16;

	private CallToken() {
	}

	/**
	 * Returns a new token.
	 * @return 11 characters of ASCII
	 */
	public static String next() {
		return of(RandomBits.next());
	}

	/**
	 * Returns the token of a call that several processes may make, so that all of these
	 * processes use the same token.
	 * @param name a text that describes what the call does; a call with another effect
	 * must have another text
	 * @return 11 characters of ASCII, the same for each call with the same name
	 */
	public static String of(String name) {
		return of(ByteBuffer.wrap(Sha256.of(name)).getLong());
	}

	private static String of(long random) {
		long bits = random;
		char[] token = new char[LENGTH];
		for (int i = 0; i < LENGTH; i++) {
			token[i] = ALPHABET[(int) (bits & 63)];
			bits >>>= 6;
		}
		return new String(token);
	}

	/**
	 * Returns a new lasting token, for a call that may be repeated much later.
	 * @param window the time after the end of the message for which scripts must
	 * recognise a repeat of the call, from 1 ms to {@link #LONGEST_WINDOW}; rounded up to
	 * the next 2^n minutes
	 * @return 11 characters of ASCII
	 */
	public static String lasting(Duration window) {
		return lasting(next(), window);
	}

	/**
	 * Returns the lasting token of a call that several processes may make, so that all of
	 * these processes use the same token.
	 * @param name a text that describes what the call does; a call with another effect
	 * must have another text
	 * @param window the time after the end of the message for which scripts must
	 * recognise a repeat of the call, as for {@link #lasting(Duration)}
	 * @return 11 characters of ASCII, the same for each call with the same name and
	 * window
	 */
	public static String lastingOf(String name, Duration window) {
		return lasting(of(name), window);
	}

	private static String lasting(String token, Duration window) {
		if (window.isNegative() || window.isZero() || window.compareTo(LONGEST_WINDOW) > 0) {
			throw new IllegalArgumentException("window must be from 1 ms to " + DurationText.of(LONGEST_WINDOW)
					+ ", not " + DurationText.of(window));
		}
		long minutes = window.plusMinutes(1).minusNanos(1).toMinutes();
		int doublings = Long.SIZE - Long.numberOfLeadingZeros(minutes - 1);
		return token.substring(0, LENGTH - 1) + ALPHABET[FIRST_CLASS + doublings];
	}

}
