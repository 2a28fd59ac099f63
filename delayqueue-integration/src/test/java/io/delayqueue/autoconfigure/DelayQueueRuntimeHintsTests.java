package io.delayqueue.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runtime hints of the auto-configuration for resources and classes that are looked up at
 * run time.
 */
class DelayQueueRuntimeHintsTests {

	private static final Path RESOURCES = Path.of("../delayqueue-core/src/main/resources");

	private static final Pattern CLASS_LOOKUP = Pattern.compile("sPresent\\(\\s*\"([\\w.]+)\"");

	private final RuntimeHints hints = new RuntimeHints();

	DelayQueueRuntimeHintsTests() {
		new DelayQueueRuntimeHints().registerHints(this.hints, getClass().getClassLoader());
	}

	@Test
	void nativeImageContainsEveryScript() {
		assertThat(files(RESOURCES, ".lua")).hasSizeGreaterThan(30)
			.allSatisfy((script) -> assertThat(
					RuntimeHintsPredicates.resource().forResource(RESOURCES.relativize(script).toString()))
				.as(script.toString())
				.accepts(this.hints));
	}

	@Test
	void nativeImageContainsClassesLookedUpByName() {
		List<String> names = Stream
			.of(Path.of("../delayqueue-core/src/main/java"), Path.of("../delayqueue-autoconfigure/src/main/java"))
			.flatMap((sources) -> files(sources, ".java").stream())
			.flatMap((file) -> CLASS_LOOKUP.matcher(content(file)).results())
			.map((MatchResult match) -> match.group(1))
			// Its module registers it
			.filter((name) -> !name.equals("io.delayqueue.outbox.DelayQueueOutbox"))
			.distinct()
			.toList();
		assertThat(names).hasSize(2)
			.allSatisfy(
					(name) -> assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(name))).as(name)
						.accepts(this.hints));
	}

	private static List<Path> files(Path directory, String suffix) {
		try (Stream<Path> files = Files.walk(directory)) {
			return files.filter((file) -> file.toString().endsWith(suffix)).toList();
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

}
