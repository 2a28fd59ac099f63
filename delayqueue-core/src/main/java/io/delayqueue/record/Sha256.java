package io.delayqueue.record;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Computes SHA-256 hashes of texts.
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
		try {
			return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
		}
		catch (NoSuchAlgorithmException missing) {
			throw new IllegalStateException("SHA-256 is missing, although every Java platform must have it", missing);
		}
	}

}
