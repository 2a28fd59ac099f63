package io.delayqueue.record;

import io.delayqueue.queue.RandomBits;

/**
 * Identifies one call of a producer, so that the scripts recognise a repeat of the call:
 * 64 random bits as 11 characters. A token is not a secret.
 */
public final class CallToken {

	/** The length of a token. */
	public static final int LENGTH = 11;

	private static final char[] ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-"
		.toCharArray();

	private CallToken() {
	}

	/**
	 * A new token.
	 * @return 11 characters of ASCII
	 */
	public static String next() {
		long bits = RandomBits.next();
		char[] token = new char[LENGTH];
		for (int i = 0; i < LENGTH; i++) {
			token[i] = ALPHABET[(int) (bits & 63)];
			bits >>>= 6;
		}
		return new String(token);
	}

}
