package io.delayqueue.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.delayqueue.store.ReadyMessages;

/**
 * How the calls of a script look on the wire.
 */
public final class Scripts {

	private static final Pattern INCLUDE = Pattern.compile("-- include (\\w+)\n");

	private Scripts() {
	}

	/** The text of a script as Redis gets it, with what it includes. */
	public static String text(String name) {
		return INCLUDE.matcher(read(name))
			.replaceAll((include) -> Matcher.quoteReplacement(read("part/" + include.group(1))));
	}

	/** The digest that a script is called by. */
	public static String digest(String name) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-1").digest(text(name).getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String read(String name) {
		try (InputStream file = ReadyMessages.class.getResourceAsStream(name + ".lua")) {
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
