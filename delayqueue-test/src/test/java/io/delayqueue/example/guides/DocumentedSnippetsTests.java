package io.delayqueue.example.guides;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a guide shows is compiled and run: all lines of it stand in one file of these
 * examples. Settings stand as they are, line by line, in one file that examples are run
 * with.
 */
class DocumentedSnippetsTests {

	@ParameterizedTest
	@ValueSource(strings = { "testing", "idempotent-handlers", "transactions", "moving", "getting-started",
			"order-timeouts", "reminders-and-callbacks", "quotas-and-groups", "batches" })
	void everyLineOfASnippetStandsInOneExample(String guide) throws IOException {
		checkSnippets(guide, "java", Path.of("src/test/java/io/delayqueue/example"), String::strip, List::containsAll);
	}

	@ParameterizedTest
	@ValueSource(strings = { "getting-started", "order-timeouts", "reminders-and-callbacks", "quotas-and-groups",
			"batches", "sizing" })
	void settingsStandInOneFile(String guide) throws IOException {
		checkSnippets(guide, "yaml", Path.of("src/test/resources/guides"), String::stripTrailing,
				(file, snippet) -> Collections.indexOfSubList(file, snippet) >= 0);
	}

	private static void checkSnippets(String guide, String language, Path examples, Function<String, String> form,
			BiPredicate<List<String>, List<String>> has) throws IOException {
		List<List<String>> snippets = Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("../docs/" + guide + ".md")))
			.results()
			.map((match) -> lines(match.group(1), form))
			.toList();
		assertThat(snippets).isNotEmpty();
		List<List<String>> files = files(examples, form);
		assertThat(snippets.stream().filter((snippet) -> files.stream().noneMatch((file) -> has.test(file, snippet))))
			.as("snippets that stand in no file of %s", examples)
			.isEmpty();
	}

	private static List<String> lines(String text, Function<String, String> form) {
		return text.lines().map(form).filter((line) -> !line.isEmpty()).toList();
	}

	private static List<List<String>> files(Path examples, Function<String, String> form) throws IOException {
		try (Stream<Path> files = Files.walk(examples)) {
			return files.filter(Files::isRegularFile).map((file) -> lines(content(file), form)).toList();
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

}
