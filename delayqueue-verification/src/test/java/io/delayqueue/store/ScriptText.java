package io.delayqueue.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of a script.
 *
 * @param text the content of its file, with the included parts
 */
record ScriptText(String text) {

	private static final String INCLUDE = "-- include ";

	private static final Pattern CALL = Pattern.compile("redis\\.p?call\\('(\\w+)'");

	private static final Pattern DECLARED = Pattern
		.compile("(?:local function |local |for |function ?\\w*\\()([a-z_]\\w*(?:, *\\w+)*)(?:\\(([\\w, .]*)\\))?");

	/** A name that does not follow a dot or colon, and is no key of a table. */
	private static final Pattern NAME = Pattern.compile("(?<![\\w.:])([A-Za-z_]\\w*)(?!\\w)(?! = [^=].*[},]\\s*$)");

	private static final Set<String> OF_THE_LANGUAGE = Set.of("and", "break", "do", "else", "elseif", "end", "false",
			"for", "function", "if", "in", "local", "nil", "not", "or", "return", "then", "true", "ARGV", "KEYS",
			"ipairs", "math", "next", "pairs", "select", "redis", "string", "table", "tonumber", "tostring", "type",
			"pcall", "unpack");

	static ScriptText of(StoreScript script) {
		return of(script, (file, text) -> text);
	}

	/** With a change of the text of each file. */
	static ScriptText of(StoreScript script, BinaryOperator<String> edit) {
		StringBuilder text = new StringBuilder();
		for (String line : edit.apply(script.fileName(), read(script.fileName())).split("(?<=\n)")) {
			text.append(line.startsWith(INCLUDE) ? edit.apply(file(line), read(file(line))) : line);
		}
		return new ScriptText(text.toString());
	}

	static ScriptText ofPart(String file) {
		return new ScriptText(read(file));
	}

	/** The parts that a script includes. */
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

	/**
	 * The names that are used without a declaration above: Lua treats them as globals,
	 * and Redis refuses them only when it reaches that line.
	 */
	Set<String> undeclared() {
		Set<String> declared = new TreeSet<>(OF_THE_LANGUAGE);
		Set<String> undeclared = new TreeSet<>();
		// A declaration of many names takes two lines
		for (String line : this.text.replaceAll("(local [\\w, ]+,)\n +", "$1 ").lines().skip(1).toList()) {
			String code = line.replaceAll("'(\\\\.|[^'])*'", "''").replaceAll("--.*", "");
			DECLARED.matcher(code).results().forEach((found) -> {
				declared.addAll(List.of(found.group(1).split(", *")));
				if (found.group(2) != null) {
					declared.addAll(List.of(found.group(2).split(", *")));
				}
			});
			NAME.matcher(code)
				.results()
				.map((found) -> found.group(1))
				.filter((name) -> !declared.contains(name))
				.forEach(undeclared::add);
		}
		return undeclared;
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
