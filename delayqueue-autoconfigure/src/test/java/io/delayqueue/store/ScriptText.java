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
 * @param text the content of its file, with the parts that others have too
 */
record ScriptText(String text) {

	private static final String INCLUDE = "-- include ";

	private static final Pattern CALL = Pattern.compile("redis\\.p?call\\('(\\w+)'");

	static ScriptText of(StoreScript script) {
		StringBuilder text = new StringBuilder();
		for (String line : read(script.fileName()).split("(?<=\n)")) {
			text.append(line.startsWith(INCLUDE) ? read(file(line)) : line);
		}
		return new ScriptText(text.toString());
	}

	/** The files that a script is put together from, besides its own. */
	static List<String> parts(StoreScript script) {
		return read(script.fileName()).lines()
			.filter((line) -> line.startsWith(INCLUDE))
			.map(ScriptText::file)
			.toList();
	}

	private static String file(String include) {
		return "part/" + include.substring(INCLUDE.length()).strip() + ".lua";
	}

	private static String read(String name) {
		try (InputStream file = StoreScript.class.getResourceAsStream(name)) {
			if (file == null) {
				throw new IllegalStateException("There is no " + name);
			}
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
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
