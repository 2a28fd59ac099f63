package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A child process of any program, for example of an application in its own JVM. A test
 * can kill and freeze the process, and write to its standard input. The process ends with
 * this JVM, however the JVM ends, even while the process is frozen.
 *
 * <p>
 * Safe for use by several threads.
 */
public final class ChildProcess implements AutoCloseable {

	private final Process process;

	private final ServerProcess signals;

	private ChildProcess(Process process) {
		this.process = process;
		this.signals = ServerProcess.of(process);
	}

	/**
	 * Starts a program as a child process, and does not wait for its end.
	 * @param command the program and its arguments
	 * @param log the file to which the output of the program is appended
	 * @return the process
	 * @throws UncheckedIOException if the program cannot be started
	 */
	public static ChildProcess start(List<String> command, Path log) {
		try {
			return new ChildProcess(ServerProcess.launch(command, log));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot start " + command.get(0), ex);
		}
	}

	/**
	 * {@return the id of the process}
	 */
	public long pid() {
		return this.process.pid();
	}

	/**
	 * Returns whether the process is alive; a frozen process is alive.
	 * @return false once the process has ended
	 */
	public boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Writes a line to the standard input of the process.
	 * @param line the text, without a line feed
	 * @throws UncheckedIOException if the process has ended
	 */
	public void writeLine(String line) {
		try {
			OutputStream input = this.process.getOutputStream();
			synchronized (input) {
				input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
				input.flush();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Process " + pid() + " has closed its input", ex);
		}
	}

	/**
	 * Suspends the process (SIGSTOP). On Linux the method returns when the process is
	 * suspended.
	 */
	public void freeze() {
		this.signals.freeze();
	}

	/** Resumes a frozen process (SIGCONT). */
	public void resume() {
		this.signals.resume();
	}

	/** Terminates the process (SIGTERM) and does not wait for it. */
	public void terminate() {
		// Process.destroy() would also close the standard input of the process
		this.process.toHandle().destroy();
	}

	/**
	 * Kills the process at once ({@code kill -9}), even if it is frozen, and waits for
	 * its end.
	 */
	public void kill() {
		this.signals.kill();
	}

	/**
	 * Waits until the process has ended by itself.
	 * @param limit the longest wait
	 * @return the exit value of the process
	 * @throws IllegalStateException if the process still runs after the longest wait
	 */
	public int awaitEnd(Duration limit) {
		try {
			return this.process.onExit().get(limit.toNanos(), TimeUnit.NANOSECONDS).exitValue();
		}
		catch (TimeoutException | ExecutionException ex) {
			throw new IllegalStateException("Process " + pid() + " has not ended", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for process " + pid(), ex);
		}
	}

	/** Kills the process if it is alive. */
	@Override
	public void close() {
		kill();
	}

}
