package io.delayqueue.sample.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.delayqueue.sample.SampleProcess;
import io.delayqueue.sample.documents.Bash.Outcome;
import io.delayqueue.test.redis.RespClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The terminal of a reader of a document, with its own home directory, which contains the
 * Redis of the sample. {@link Bash} runs the commands unchanged, except that the sample's
 * port replaces 8080.
 */
final class Terminal implements AutoCloseable {

	private static final String SAMPLE_ARGUMENTS = "-Dspring-boot.run.arguments=";

	private final Document document;

	private final Path home;

	private final Bash bash;

	private final Set<Integer> done = new TreeSet<>();

	private final List<Commands> remembered = new ArrayList<>();

	private SampleProcess sample;

	private int starts;

	Terminal(Document document, Path home) {
		this.document = document;
		this.home = home;
		try {
			this.bash = new Bash(home);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns the arguments that a block passes to the sample.
	 * @return the arguments
	 */
	String[] arguments(Commands start) {
		List<String> given = run(start).lines().toList();
		assertThat(given).startsWith("-q", "-Dmaven.test.skip", "-pl", "sample-app", "-am", "spring-boot:run");
		List<String> rest = given.subList(6, given.size());
		assertThat(rest).hasSizeLessThan(2).allMatch((argument) -> argument.startsWith(SAMPLE_ARGUMENTS));
		return rest.stream()
			.flatMap((argument) -> Stream.of(argument.substring(SAMPLE_ARGUMENTS.length()).split(" ")))
			.toArray(String[]::new);
	}

	/** Starts the sample of this home directory, and waits until it accepts requests. */
	void startSample(String... arguments) {
		this.sample = launchAnother(arguments);
		this.sample.awaitStart();
	}

	/**
	 * Starts a further instance, which the caller closes, and does not wait for it.
	 */
	SampleProcess launchAnother(String... arguments) {
		this.starts++;
		return SampleProcess.launchAtHome(this.home, this.home.resolve("sample-" + this.starts + ".log"), arguments);
	}

	SampleProcess sample() {
		return this.sample;
	}

	/** The directory of the sample's Redis. */
	Path redisDirectory() {
		return this.home.resolve(".delayqueue-sample");
	}

	long redisPort() {
		return redisNumber("port");
	}

	long redisProcess() {
		return redisNumber("redis.pid");
	}

	private long redisNumber(String file) {
		try {
			return Long.parseLong(Files.readString(redisDirectory().resolve(file)).strip());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** A connection to the sample's Redis, which the caller closes. */
	RespClient redis() {
		return RespClient.connect(URI.create("redis://127.0.0.1:" + redisPort()));
	}

	/** Runs commands that set variables for later commands. */
	void remember(Commands commands) {
		run(commands);
		this.remembered.add(commands);
	}

	/**
	 * Runs commands that must succeed.
	 * @return the output
	 */
	String run(Commands commands) {
		return run(commands, 0);
	}

	/**
	 * Runs commands that must end with an HTTP call with an error response.
	 * @return the output
	 */
	String refused(Commands commands) {
		return run(commands, Bash.REFUSED);
	}

	private String run(Commands commands, int status) {
		Outcome outcome = attempt(commands);
		assertThat(outcome.status()).as("%s%s", commands.text(), outcome.printed()).isEqualTo(status);
		return outcome.printed();
	}

	/** Runs commands with any exit status. */
	Outcome attempt(Commands commands) {
		this.done.addAll(commands.numbers());
		StringBuilder text = new StringBuilder();
		this.remembered.forEach((earlier) -> text.append(earlier.text()));
		text.append(commands.text());
		try {
			if (this.sample == null) {
				return this.bash.run(text.toString(), 0);
			}
			return this.bash.run(text.toString().replace("localhost:8080", "localhost:" + this.sample.port()),
					this.sample.pid());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Checks that all commands of the document were run, except for these blocks, which
	 * must exist.
	 */
	void assertAllCommandsWereRun(Set<String> excluded) {
		List<Commands> blocks = this.document.blocks().stream().map(Document.Block::commands).toList();
		assertThat(blocks.stream().map((commands) -> commands.text().strip())).containsAll(excluded);
		assertThat(blocks.stream()
			.filter((commands) -> !excluded.contains(commands.text().strip()))
			.flatMap((commands) -> commands.numbers().stream())
			.filter((number) -> !this.done.contains(number))).as("lines of %s that were not run", this.document.name())
			.isEmpty();
	}

	/** Stops the sample and its Redis. */
	@Override
	public void close() {
		if (this.sample != null) {
			this.sample.close();
		}
		if (Files.exists(redisDirectory().resolve("redis.pid"))) {
			ProcessHandle.of(redisProcess()).ifPresent(ProcessHandle::destroyForcibly);
		}
	}

}
