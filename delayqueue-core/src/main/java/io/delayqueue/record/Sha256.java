package io.delayqueue.record;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Computes SHA-256 hashes.
 */
public final class Sha256 {

	private Sha256() {
	}

	/**
	 * Returns the hash of a text.
	 * @param text the text, which is hashed as UTF-8
	 * @return 32 bytes
	 */
	public static byte[] of(String text) {
		return of(text.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Returns the hash of bytes.
	 * @param bytes the bytes
	 * @return 32 bytes
	 */
	public static byte[] of(byte[] bytes) {
		try {
			return MessageDigest.getInstance("SHA-256").digest(bytes);
		}
		catch (NoSuchAlgorithmException missing) {
			throw new IllegalStateException("SHA-256 is missing, although every Java platform must have it", missing);
		}
	}

}
