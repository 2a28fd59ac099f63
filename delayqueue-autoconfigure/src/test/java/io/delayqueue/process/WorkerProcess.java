package io.delayqueue.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.process.Journal.Line;
import io.delayqueue.test.redis.ChildProcess;
import org.awaitility.Awaitility;

/**
 * A main class of the tests in a JVM of its own, with the classpath of the tests. It ends
 * with this JVM, however this JVM ends.
 */
public final class WorkerProcess implements AutoCloseable {

	/** What a worker writes to the journal once it works. */
	public static final String READY = "ready";

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private final String name;

	private final Path log;

	private final Journal journal;

	private final ChildProcess process;

	// guarded by this

	private int seen;

	private boolean ready;

	private WorkerProcess(String name, Path log, Journal journal, ChildProcess process) {
		this.name = name;
		this.log = log;
		this.journal = journal;
		this.process = process;
	}

	/**
	 * What to start.
	 *
	 * @param main the main class; its first two arguments are the file of the journal and
	 * the name of the process
	 * @param directory where the journal and the log go
	 * @param before directories whose files hide those of the same name on the classpath
	 * @param arguments the arguments after the first two
	 */
	public record Program(Class<?> main, Path directory, List<Path> before, List<String> arguments) {

		/**
		 * The journal that the program writes to.
		 * @return the file
		 */
		public Path journal() {
			return this.directory.resolve("journal");
		}

		private List<String> command(String name) {
			List<String> classpath = new ArrayList<>(this.before.stream().map(Path::toString).toList());
			classpath.add(System.getProperty("java.class.path"));
			List<String> command = new ArrayList<>(List.of(
					Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
					"-XX:+UseSerialGC", "-Xmx128m", "-cp", String.join(File.pathSeparator, classpath),
					this.main.getName(), journal().toString(), name));
			command.addAll(this.arguments);
			return command;
		}

	}

	/**
	 * Starts a process and does not wait for it.
	 * @param name its name, used once
	 * @param program what to start
	 * @param journal the journal, to see how it fares
	 * @return the process
	 */
	public static WorkerProcess launch(String name, Program program, Journal journal) {
		Path log = program.directory().resolve(name + ".log");
		return new WorkerProcess(name, log, journal, ChildProcess.start(program.command(name), log));
	}

	/**
	 * Its name.
	 * @return the name that its lines in the journal bear
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Waits until it works.
	 * @return this process
	 */
	public WorkerProcess awaitReady() {
		Awaitility.await(this.name + " starts").atMost(LIMIT).until(() -> !this.process.isAlive() || isReady());
		if (!isReady()) {
			throw new IllegalStateException(this.name + " has ended:\n" + log());
		}
		return this;
	}

	/**
	 * Whether it works.
	 * @return {@code true} once it has said so
	 */
	public synchronized boolean isReady() {
		if (!this.ready) {
			List<Line> lines = this.journal.linesFrom(this.seen);
			this.seen += lines.size();
			this.ready = lines.stream()
				.anyMatch((line) -> line.event().equals(READY) && line.process().equals(this.name));
		}
		return this.ready;
	}

	/**
	 * Writes a line to its standard input.
	 * @param line what to do
	 */
	public void tell(String line) {
		this.process.tell(line);
	}

	/** Stops the process where it stands. */
	public void freeze() {
		this.process.freeze();
	}

	/** Lets it go on. */
	public void resume() {
		this.process.resume();
	}

	/** Asks it to end, as container platforms do, and does not wait. */
	public void terminate() {
		this.process.terminate();
	}

	/** Ends it at once. */
	public void kill() {
		this.process.kill();
	}

	/**
	 * Whether it lives, frozen or not.
	 * @return {@code false} once it has ended
	 */
	public boolean isAlive() {
		return this.process.isAlive();
	}

	/** Waits until it has ended by itself. */
	public void awaitEnd() {
		this.process.awaitEnd(LIMIT);
	}

	/**
	 * What it has printed.
	 * @return the text
	 */
	public String log() {
		try {
			return Files.readString(this.log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		this.process.close();
	}

}
