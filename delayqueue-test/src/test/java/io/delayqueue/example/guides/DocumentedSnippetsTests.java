package io.delayqueue.example.guides;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a guide shows is compiled and run: all lines of it stand in one file of these
 * examples.
 */
class DocumentedSnippetsTests {

	private static final Pattern SNIPPET = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

	@ParameterizedTest
	@ValueSource(strings = { "testing", "idempotent-handlers", "transactions", "moving" })
	void everyLineOfASnippetStandsInOneExample(String guide) throws IOException {
		List<String> snippets = SNIPPET.matcher(Files.readString(Path.of("../docs/" + guide + ".md")))
			.results()
			.map((match) -> match.group(1))
			.toList();
		assertThat(snippets).isNotEmpty();
		List<String> examples = examples();
		assertThat(snippets).allSatisfy((snippet) -> assertThat(examples)
			.anySatisfy((example) -> assertThat(example).contains(lines(snippet))));
	}

	private static List<String> lines(String text) {
		return text.lines().map(String::strip).filter((line) -> !line.isEmpty()).toList();
	}

	private static List<String> examples() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("src/test/java/io/delayqueue/example"))) {
			return files.filter((file) -> file.toString().endsWith(".java"))
				.map(DocumentedSnippetsTests::content)
				.toList();
		}
	}

	private static String content(Path file) {
		try {
			return String.join("\n", lines(Files.readString(file)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
