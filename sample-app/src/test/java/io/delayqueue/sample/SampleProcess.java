package io.delayqueue.sample;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The sample in a separate JVM, started by its main class. */
public final class SampleProcess implements AutoCloseable {

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	private final Process process;

	private final Path log;

	private SampleProcess(Process process, Path log) {
		this.process = process;
		this.log = log;
	}

	/** Starts the process and does not wait for it. */
	public static SampleProcess launch(Path log, String... arguments) {
		return launch(log, List.of(), System.getProperty("java.class.path"), arguments);
	}

	private static SampleProcess launch(Path log, List<String> options, String classPath, String... arguments) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC"));
		command.addAll(options);
		command.addAll(List.of("-cp", classPath, SampleApplication.class.getName(), "--server.port=0",
				"--spring.main.banner-mode=off"));
		command.addAll(List.of(arguments));
		try {
			return new SampleProcess(
					new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start(), log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Starts the sample after ahead-of-time processing, and waits until it accepts
	 * requests.
	 */
	public static SampleProcess startProcessed(Path log, Path processed, String... arguments) {
		SampleProcess sample = launch(log, List.of("-Dspring.aot.enabled=true"),
				processed + File.pathSeparator + System.getProperty("java.class.path"), arguments);
		sample.awaitStart();
		return sample;
	}

	/**
	 * Starts the process with this home directory, which contains its Redis by default,
	 * and does not wait for it.
	 */
	public static SampleProcess launchAtHome(Path home, Path log, String... arguments) {
		return launch(log, List.of("-Duser.home=" + home), System.getProperty("java.class.path"), arguments);
	}

	/** Starts the process and waits until it accepts requests. */
	public static SampleProcess start(Path log, String... arguments) {
		SampleProcess sample = launch(log, arguments);
		sample.awaitStart();
		return sample;
	}

	public void awaitStart() {
		await().until(() -> !this.process.isAlive() || !ports().isEmpty());
		assertThat(this.process.isAlive()).as(this::log).isTrue();
	}

	/** Waits until the process has exited. */
	public int awaitEnd() {
		await().until(() -> !this.process.isAlive());
		return this.process.exitValue();
	}

	public SampleClient client() {
		return new SampleClient(port());
	}

	public int port() {
		return ports().get(0);
	}

	public long pid() {
		return this.process.pid();
	}

	public void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	/** Sends SIGTERM to the process, like container platforms. */
	public void stop() {
		this.process.destroy();
		awaitEnd();
	}

	public String log() {
		try {
			return Files.readString(this.log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public long count(String text) {
		return log().lines().filter((line) -> line.contains(text)).count();
	}

	@Override
	public void close() {
		kill();
	}

	private List<Integer> ports() {
		return PORT.matcher(log()).results().map((MatchResult match) -> Integer.valueOf(match.group(1))).toList();
	}

}
