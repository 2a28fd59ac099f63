package io.delayqueue.example.guides;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The snippets of the README and the guides are compiled and run:
 * <ol>
 * <li>All lines of a snippet of Java or Kotlin are contained, in this order, in one file
 * of these examples, of the tests with Spring Security, or of the hosts in Kotlin. Line
 * breaks of the formatter and comments are ignored; tests check the statements of the
 * comments.</li>
 * <li>Settings are contained unchanged in one file that an example is run with.</li>
 * <li>A dependency is a dependency of the sample, and has the version of this build.</li>
 * <li>A translation has the snippets and the commands of its original.</li>
 * </ol>
 * The tests of the guides send the shell calls.
 */
class DocumentedSnippetsTests {

	/** Snippets that are not part of an example. */
	private static final Set<String> EXCLUDED = Set.of(
			// A fragment for the pom.xml, which the publisher completes
			"../docs/internals/releasing.md xml",
			// Code of an application without this library
			"../docs/why.md sql",
			// For Prometheus: tested by ReadOnlyEndpointIntegrationTests of the sample
			"../docs/meters-and-events.md yaml");

	private static final Set<String> SHOWN = Set.of("", "json", "mermaid", "shell");

	private static final Path EXAMPLES = Path.of("src/test/java/io/delayqueue/example");

	private static final Path SETTINGS = Path.of("src/test/resources/guides");

	private static final Path OUTBOX = Path.of("../delayqueue-outbox-jdbc/src/test");

	private static final Path KOTLIN = Path.of("../delayqueue-hosts/src/test/kotlin");

	private static final Path SECURED = Path
		.of("../delayqueue-integration/src/test/java/io/delayqueue/actuate/AccessIntegrationTests.java");

	private static final Pattern SNIPPET = Pattern.compile("^( *)```(\\w*)\\n(.*?)\\n\\1```$",
			Pattern.DOTALL | Pattern.MULTILINE);

	private static final Pattern COMMAND = Pattern.compile("`((?:curl|docker|mvn) [^`]+)`");

	@ParameterizedTest
	@MethodSource("snippets")
	void isCompiledAndRun(Snippet snippet) {
		assertThat(switch (snippet.language()) {
			case "java" ->
				Stream.of(EXAMPLES, SECURED, OUTBOX).flatMap(DocumentedSnippetsTests::files).anyMatch(snippet::isCode);
			case "kotlin" -> files(KOTLIN).anyMatch(snippet::isCode);
			case "yaml" ->
				Stream.of(SETTINGS, OUTBOX).flatMap(DocumentedSnippetsTests::files).anyMatch(snippet::isPart);
			case "xml" ->
				snippet.isDependency(content(Path.of("../sample-app/pom.xml")), content(Path.of("../pom.xml")));
			default -> false;
		}).as("%s%n%s", snippet, snippet.text()).isTrue();
	}

	@Test
	void examplesAreRunWithAllSettings() {
		String examples = files(EXAMPLES).collect(Collectors.joining());
		assertThat(walk(SETTINGS).map((file) -> "classpath:guides/" + file.getFileName())).isNotEmpty()
			.allSatisfy((name) -> assertThat(examples).contains(name));
	}

	@ParameterizedTest
	@CsvSource({ "README.md, README.zh-CN.md", "docs/getting-started.md, docs/zh-CN/getting-started.md" })
	void bothLanguagesHaveTheSameSnippetsAndCommands(String original, String translation) {
		Path file = Path.of("..", translation);
		assertThat(snippetsAndCommands(file)).isEqualTo(snippetsAndCommands(Path.of("..", original)));
	}

	@Test
	void onlyTheListedSnippetsAreExcluded() {
		assertThat(all().map(Snippet::toString).filter(EXCLUDED::contains))
			.containsExactlyInAnyOrderElementsOf(EXCLUDED);
	}

	static List<Snippet> snippets() {
		return all().filter((snippet) -> !EXCLUDED.contains(snippet.toString())).toList();
	}

	private static Stream<Snippet> all() {
		return Stream.concat(Stream.of(Path.of("../README.md")), walk(Path.of("../docs")))
			.filter((file) -> file.toString().endsWith(".md"))
			.sorted()
			.flatMap(Snippet::of)
			.filter((snippet) -> !SHOWN.contains(snippet.language()));
	}

	private static List<String> snippetsAndCommands(Path file) {
		return Stream
			.concat(Snippet.of(file).map((snippet) -> snippet.language() + " " + snippet.text()),
					COMMAND.matcher(content(file)).results().map((found) -> found.group(1)))
			.toList();
	}

	private static Stream<String> files(Path directory) {
		return walk(directory).map(DocumentedSnippetsTests::content);
	}

	private static Stream<Path> walk(Path directory) {
		try (Stream<Path> files = Files.walk(directory)) {
			return files.filter(Files::isRegularFile).toList().stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String content(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A fenced block.
	 *
	 * @param file the document
	 * @param language the language of the fence
	 * @param text the content
	 */
	record Snippet(Path file, String language, String text) {

		static Stream<Snippet> of(Path file) {
			String text = content(file);
			assertThat(SNIPPET.matcher(text).replaceAll("")).as("%s without its snippets", file).doesNotContain("```");
			return SNIPPET.matcher(text)
				.results()
				.map((match) -> new Snippet(file, match.group(2), match.group(3).stripIndent()));
		}

		boolean isCode(String java) {
			return Pattern
				.compile(this.text.lines().map(Snippet::code).map(Pattern::quote).collect(Collectors.joining(".*")))
				.matcher(code(java))
				.find();
		}

		boolean isPart(String yaml) {
			return ("\n" + yaml).contains("\n" + this.text + "\n");
		}

		boolean isDependency(String sample, String parent) {
			String version = bare(this.text).replaceAll(".*(<version>.*</version>).*", "$1");
			return bare(sample).contains(bare(this.text).replace(version, ""))
					&& bare(parent).contains("<artifactId>delayqueue-parent</artifactId>" + version);
		}

		private static String code(String text) {
			return bare(text.replaceAll("//.*", ""));
		}

		private static String bare(String text) {
			return text.replaceAll("\\s", "");
		}

		@Override
		public String toString() {
			return this.file + " " + this.language;
		}

	}

}
