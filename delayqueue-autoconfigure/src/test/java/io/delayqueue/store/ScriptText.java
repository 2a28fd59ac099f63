package io.delayqueue.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A script as it is written.
 *
 * @param text the content of its file
 */
record ScriptText(String text) {

	private static final Pattern CALL = Pattern.compile("redis\\.p?call\\('(\\w+)'");

	static ScriptText of(StoreScript script) {
		try (InputStream file = StoreScript.class.getResourceAsStream(script.fileName())) {
			if (file == null) {
				throw new IllegalStateException("There is no " + script.fileName());
			}
			return new ScriptText(new String(file.readAllBytes(), StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** The first line. */
	String shebang() {
		return this.text.lines().findFirst().orElse("");
	}

	/** The comment below the first line. */
	List<String> header() {
		return this.text.lines().skip(1).takeWhile((line) -> line.startsWith("--")).toList();
	}

	/** What follows the header, without comments. */
	String body() {
		return this.text.lines()
			.skip(1L + header().size())
			.map((line) -> line.replaceAll("--.*", ""))
			.reduce("", (all, line) -> all + line + "\n");
	}

	/** The commands that it runs, in lower case. */
	Set<String> commands() {
		Set<String> commands = new TreeSet<>();
		Matcher matcher = CALL.matcher(body());
		while (matcher.find()) {
			commands.add(matcher.group(1).toLowerCase(Locale.ROOT));
		}
		return commands;
	}

}
