package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Ensures that no server and no temporary directory outlives this JVM, however the JVM
 * ends.
 * <ol>
 * <li>A shell, started with the first server, reads from a pipe whose other end only this
 * JVM holds.</li>
 * <li>Whenever a server or a directory is added or removed, the JVM writes one line to
 * the pipe: the command that kills the current servers and deletes the current
 * directories. The shell keeps the last line.</li>
 * <li>When the JVM has ended, by {@code System.exit} or by {@code kill -9}, the pipe ends
 * and the shell runs the command of the last line.</li>
 * </ol>
 * Unlike a shutdown hook, which would run beside the hooks of the application, the
 * watchdog keeps the servers alive until the last shutdown hook has finished. If no shell
 * can be started, a shutdown hook is used instead.
 */
final class Watchdog {

	private static final String SCRIPT = "trap '' INT TERM HUP QUIT; while IFS= read -r line; do last=$line; done; "
			+ "eval \"$last\"";

	private static final Watchdog INSTANCE = new Watchdog();

	private final Set<Long> processes = new LinkedHashSet<>();

	private final Set<Path> directories = new LinkedHashSet<>();

	private @Nullable OutputStream pipe;

	private boolean started;

	private Watchdog() {
	}

	static Watchdog get() {
		return INSTANCE;
	}

	synchronized void watch(long pid) {
		this.processes.add(pid);
		writeCommand();
	}

	synchronized void forget(long pid) {
		if (this.processes.remove(pid)) {
			writeCommand();
		}
	}

	synchronized void watch(Path directory) {
		this.directories.add(directory);
		writeCommand();
	}

	synchronized void forget(Path directory) {
		if (this.directories.remove(directory)) {
			writeCommand();
		}
	}

	private void writeCommand() {
		start();
		if (this.pipe == null) {
			return;
		}
		String kill = this.processes.stream().map((pid) -> "kill -9 " + pid + "; ").collect(Collectors.joining());
		String remove = this.directories.stream()
			.map((directory) -> "rm -rf -- '" + directory.toString().replace("'", "'\\''") + "'; ")
			.collect(Collectors.joining());
		try {
			this.pipe.write((kill + remove + ":\n").getBytes(StandardCharsets.UTF_8));
			this.pipe.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The watchdog of the Redis servers is gone", ex);
		}
	}

	private void start() {
		if (this.started) {
			return;
		}
		this.started = true;
		try {
			this.pipe = new ProcessBuilder("sh", "-c", SCRIPT).redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.redirectError(ProcessBuilder.Redirect.DISCARD)
				.start()
				.getOutputStream();
		}
		catch (IOException ex) {
			Runtime.getRuntime().addShutdownHook(new Thread(this::killAll, "redis-watchdog"));
		}
	}

	private synchronized void killAll() {
		this.processes.forEach((pid) -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
		this.directories.forEach(Directories::delete);
	}

}
