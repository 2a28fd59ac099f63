package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process of the operating system, such as a Redis server, to which signals are sent.
 */
final class ServerProcess {

	/** The time that a process may take to end by itself before it is killed. */
	private static final Duration END = Duration.ofSeconds(15);

	private final ProcessHandle handle;

	private ServerProcess(ProcessHandle handle) {
		this.handle = handle;
	}

	/** Starts a child process that ends with this JVM. */
	static ServerProcess child(List<String> command, Path log) throws IOException {
		return of(launch(command, log));
	}

	/**
	 * Returns a child process as an object to which signals can be sent. From now on the
	 * child process ends when this JVM ends.
	 */
	static ServerProcess of(Process process) {
		long pid = process.pid();
		Watchdog.get().watch(pid);
		// when the process has ended for any reason, its id may soon belong to an
		// unrelated process
		var unused = process.onExit().thenRun(() -> Watchdog.get().forget(pid));
		return new ServerProcess(process.toHandle());
	}

	/**
	 * Starts a program that becomes a daemon by itself and writes its process id to a
	 * file.
	 */
	static ServerProcess daemon(List<String> command, Path log, Path pidFile) throws IOException {
		Files.deleteIfExists(pidFile);
		waitFor(launch(command, log).toHandle(), Await.LIMIT);
		Await.until(Await.LIMIT, () -> command.get(0) + " wrote no " + pidFile + ":\n" + Directories.tail(log, 20),
				() -> !Directories.tail(pidFile, 1).isBlank());
		long pid = Long.parseLong(Directories.tail(pidFile, 1).strip());
		return new ServerProcess(ProcessHandle.of(pid)
			.orElseThrow(() -> new IOException("ended at once:\n" + Directories.tail(log, 20))));
	}

	static Process launch(List<String> command, Path log) throws IOException {
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
			.start();
	}

	long pid() {
		return this.handle.pid();
	}

	boolean isAlive() {
		return this.handle.isAlive();
	}

	/** Terminates the process, and kills it if it has not ended after 15 seconds. */
	void terminate() {
		this.handle.destroy();
		if (!waitFor(this.handle, END)) {
			kill();
		}
	}

	void kill() {
		this.handle.destroyForcibly();
		if (!waitFor(this.handle, Await.LIMIT)) {
			throw new IllegalStateException("Process " + pid() + " survived kill -9");
		}
	}

	/**
	 * Suspends the process (SIGSTOP). On Linux the method returns when the process is
	 * suspended.
	 */
	void freeze() {
		signal("STOP");
		Path stat = Path.of("/proc", Long.toString(pid()), "stat");
		if (Files.exists(stat)) {
			Await.until(Await.LIMIT, () -> "Process " + pid() + " did not freeze",
					() -> Directories.tail(stat, 1).contains(") T "));
		}
	}

	void resume() {
		signal("CONT");
	}

	private void signal(String name) {
		try {
			// the command kill is part of every POSIX shell, but /bin/kill is missing in
			// small container images
			Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid()).inheritIO().start();
			if (!kill.waitFor(Await.LIMIT.toSeconds(), TimeUnit.SECONDS) || kill.exitValue() != 0) {
				throw new IllegalStateException("Cannot send SIG" + name + " to process " + pid());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while sending SIG" + name + " to process " + pid(), ex);
		}
	}

	private static boolean waitFor(ProcessHandle handle, Duration limit) {
		try {
			handle.onExit().get(limit.toSeconds(), TimeUnit.SECONDS);
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return !handle.isAlive();
		}
	}

}
