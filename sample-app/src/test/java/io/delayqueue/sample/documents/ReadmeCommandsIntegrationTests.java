package io.delayqueue.sample.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.delayqueue.sample.SampleClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Runs every command of the README unchanged. */
class ReadmeCommandsIntegrationTests {

	private static final Document DOCUMENT = Document.read("README.md");

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	@TempDir
	private Path home;

	@Test
	void commandsOfTheReadmeWork() {
		try (Terminal terminal = new Terminal(DOCUMENT, this.home)) {
			assertThat(terminal.arguments(DOCUMENT.shell("Two commands", 0))).isEmpty();
			terminal.startSample();

			assertThat(terminal.run(DOCUMENT.shell("Two commands", 1))).contains("201", "\"status\":\"UNPAID\"");
			await()
				.until(() -> terminal.run(DOCUMENT.inline("curl localhost:8080/orders/o-1")).contains("\"CANCELLED\""));
			assertThat(terminal.run(DOCUMENT.inline("curl localhost:8080/actuator/delayqueue")))
				.contains("\"name\":\"order-timeout\"");

			terminal.assertAllCommandsWereRun(Set.of());
		}
	}

	/**
	 * Runs in a directory that contains only the sources and their classes, like a clone
	 * after its compilation, which this build has done already. Only the port of the
	 * sample and the directory of its Redis are changed.
	 */
	@Test
	void firstCommandStartsTheSample() throws IOException {
		Path clone = this.home.resolve("clone");
		copySources(clone);
		Path log = this.home.resolve("maven.log");
		ProcessBuilder maven = new ProcessBuilder("bash", "-c", DOCUMENT.shell("Two commands", 0).text())
			.directory(clone.toFile())
			.redirectErrorStream(true)
			.redirectOutput(log.toFile());
		maven.environment()
			.putAll(Map.of("SERVER_PORT", "0", "MAVEN_OPTS",
					"-Dmaven.main.skip=true -Dspring-boot.run.jvmArguments=-Duser.home=" + this.home));
		Process process = maven.start();
		try (Terminal terminal = new Terminal(DOCUMENT, this.home)) {
			await().atMost(Duration.ofMinutes(10)).until(() -> !process.isAlive() || port(log).isPresent());
			assertThat(port(log)).as(() -> "The sample does not start: " + content(log)).isPresent();

			assertThat(new SampleClient(port(log).get()).placeOrder("o-1", "u-1", Duration.ofHours(1)).status())
				.isEqualTo(201);
			assertThat(terminal.redisDirectory()).exists();
		}
		finally {
			List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
			all.forEach(ProcessHandle::destroyForcibly);
			all.forEach((one) -> one.onExit().join());
		}
	}

	private static void copySources(Path clone) throws IOException {
		PathMatcher sources = FileSystems.getDefault()
			.getPathMatcher("glob:{pom.xml,LICENSE,.mvn/*,*/pom.xml,*/src/main/**,*/target/classes/**}");
		try (Stream<Path> files = Files.walk(Document.ROOT)) {
			for (Path file : files.filter(Files::isRegularFile).map(Document.ROOT::relativize).toList()) {
				if (sources.matches(file)) {
					Files.createDirectories(clone.resolve(file).getParent());
					Files.copy(Document.ROOT.resolve(file), clone.resolve(file));
				}
			}
		}
	}

	private static Optional<Integer> port(Path log) {
		return PORT.matcher(content(log)).results().map((port) -> Integer.valueOf(port.group(1))).findFirst();
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
