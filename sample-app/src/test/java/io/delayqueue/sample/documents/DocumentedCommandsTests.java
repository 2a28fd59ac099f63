package io.delayqueue.sample.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every command that a document shows runs in a test, or stands here with where it is run
 * instead.
 */
class DocumentedCommandsTests {

	/** Who runs all commands of a document, and fails if one is left out. */
	private static final Map<String, String> RUN_BY = Map.of( //
			"README.md", "sample-app:documents/ReadmeCommandsIntegrationTests", //
			"sample-app/README.md", "sample-app:documents/SampleReadmeCommandsIntegrationTests", //
			"docs/operations.md", "sample-app:documents/OperationsCommandsIntegrationTests", //
			"docs/getting-started.md", "delayqueue-test:start/GettingStartedTests", //
			"docs/reminders-and-callbacks.md", "delayqueue-test:reminders/CallbacksTests");

	/** Gives a release its version; run here, in a copy. */
	private static final Commands RELEASED = Document.read("docs/releasing.md").shell("A release", 0);

	private static final Pattern SNAPSHOT = Pattern.compile("git grep -l (\\S+)-SNAPSHOT ");

	private static final Pattern VERSION = Pattern
		.compile("<artifactId>delayqueue-parent</artifactId>\\s*<version>([^<]+)</version>");

	/** What starts builds of its own, and the file whose commands run the same. */
	private static final Map<String, String> RUN_ELSEWHERE = Map.of( //
			// the same, of a copy, twice
			"mvn -B -Prelease -DskipTests verify", ".ci/reproducible", //
			// itself, by whoever makes a release
			".ci/reproducible", ".ci/reproducible", //
			// by whoever has the key; without it and the repository it is the line above
			"mvn -B -Prelease -DskipTests -Dgpg.keyname=\"$KEY\" "
					+ "-DaltDeploymentRepository=\"release::file://$PWD/target/release\" deploy",
			"pom.xml", //
			// by whoever measures; ContenderIntegrationTests runs who takes part in it
			"mvn -pl delayqueue-benchmark -am compile spring-boot:run -Dspring-boot.run.arguments=\"W1 W2\"",
			"delayqueue-benchmark/src/test/java/io/delayqueue/benchmark/ContenderIntegrationTests.java");

	@TempDir
	private Path temporary;

	@Test
	void everyCommandIsRunSomewhere() throws IOException {
		Set<String> known = new TreeSet<>(RUN_ELSEWHERE.keySet());
		known.add(RELEASED.text().strip());
		Set<String> used = new TreeSet<>();
		for (String name : documents()) {
			if (!RUN_BY.containsKey(name)) {
				for (Document.Block block : Document.read(name).blocks()) {
					String text = block.commands().text().strip();
					assertThat(known).as("%s:%d", name, block.commands().first()).contains(text);
					used.add(text);
				}
			}
		}
		assertThat(used).isEqualTo(known);
	}

	@Test
	void whoIsSaidToRunThemIsThere() {
		RUN_BY.values().forEach((test) -> assertThat(source(test)).exists());
		RUN_ELSEWHERE.values().forEach((file) -> assertThat(Document.ROOT.resolve(file)).exists());
		assertThat(content(".ci/run").lines()).contains("mvn -B verify");
		assertThat(content(".ci/reproducible")).contains("-Prelease ", " verify)");
	}

	@Test
	void noDocumentCallsAShellByAnotherName() throws IOException {
		for (String name : documents()) {
			assertThat(content(name).lines().map(String::strip)).as(name)
				.doesNotContain("```sh", "```bash", "```console", "```zsh");
		}
	}

	@Test
	void releaseGetsItsVersionEverywhere() throws IOException {
		String release = found(SNAPSHOT, RELEASED.text());
		String current = found(VERSION, content("pom.xml"));
		List<String> files = Stream.concat(documents().stream(), poms().stream()).toList();
		for (String file : files) {
			Path copy = this.temporary.resolve(file);
			Files.createDirectories(copy.getParent());
			Files.writeString(copy, content(file).replace(current, release + "-SNAPSHOT"));
		}
		try (Terminal terminal = new Terminal(Document.read("docs/releasing.md"), this.temporary)) {
			terminal.run(new Commands(0, List.of("git init -q .", "git add .")));

			terminal.run(RELEASED);
		}
		assertThat(files.stream().filter((file) -> copied(file).contains(release + "-SNAPSHOT")))
			.containsExactly("docs/releasing.md");
		assertThat(found(VERSION, copied("pom.xml"))).isEqualTo(release);
	}

	private static String found(Pattern pattern, String text) {
		Matcher matcher = pattern.matcher(text);
		assertThat(matcher.find()).as(pattern.pattern()).isTrue();
		return matcher.group(1);
	}

	private static Path source(String test) {
		String[] parts = test.split(":");
		String home = parts[0].equals("sample-app") ? "io/delayqueue/sample" : "io/delayqueue/example";
		return Document.ROOT.resolve(parts[0]).resolve("src/test/java").resolve(home).resolve(parts[1] + ".java");
	}

	private static List<String> documents() throws IOException {
		return files("{*.md,docs/**.md,*/*.md}");
	}

	private static List<String> poms() throws IOException {
		return files("{pom.xml,*/pom.xml}");
	}

	private static List<String> files(String pattern) throws IOException {
		PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
		try (Stream<Path> files = Files.walk(Document.ROOT, 3)) {
			return files.map(Document.ROOT::relativize).filter(matcher::matches).map(Path::toString).sorted().toList();
		}
	}

	private String copied(String file) {
		return content(this.temporary.resolve(file));
	}

	private static String content(String file) {
		return content(Document.ROOT.resolve(file));
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
