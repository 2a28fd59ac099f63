package io.delayqueue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of faults in docs/internals/faults.md lists exactly the tests of faults.
 */
class DocumentedFaultsTests {

	private static final Pattern IN_A_TEST = Pattern.compile("@DisplayName\\(\"row (\\d+): ");

	private static final Pattern IN_THE_TABLE = Pattern.compile("`(\\w+Tests)` rows? (\\d+(?:, \\d+)*)");

	@Test
	void theTableListsExactlyTheTestsOfFaults() throws IOException {
		assertThat(table()).isEqualTo(tests());
	}

	private static Set<String> table() throws IOException {
		Set<String> named = new TreeSet<>();
		for (MatchResult found : found(IN_THE_TABLE, Path.of("..", "docs", "internals", "faults.md"))) {
			for (String row : found.group(2).split(", ")) {
				named.add(found.group(1) + " " + row);
			}
		}
		return named;
	}

	private static Set<String> tests() throws IOException {
		Set<String> tests = new TreeSet<>();
		try (Stream<Path> sources = Files.walk(Path.of(".."))) {
			sources.filter((path) -> path.toString().contains("src/test/java"))
				.filter((path) -> path.toString().endsWith("Tests.java"))
				.forEach((source) -> found(IN_A_TEST, source).forEach((found) -> tests
					.add(source.getFileName().toString().replace(".java", "") + " " + found.group(1))));
		}
		assertThat(tests).hasSizeGreaterThan(30);
		return tests;
	}

	private static List<MatchResult> found(Pattern pattern, Path file) {
		try {
			return pattern.matcher(Files.readString(file)).results().toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
