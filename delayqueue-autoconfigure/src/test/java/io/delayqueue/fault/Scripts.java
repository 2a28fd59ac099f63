package io.delayqueue.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import io.delayqueue.store.ReadyMessages;

/**
 * How the calls of a script look on the wire.
 */
final class Scripts {

	private Scripts() {
	}

	/** The digest that a script is called by. */
	static String digest(String name) {
		try (InputStream file = ReadyMessages.class.getResourceAsStream(name + ".lua")) {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(file.readAllBytes()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
