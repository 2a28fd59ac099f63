package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A Redis server as a separate process, on the loopback interface, that can be killed,
 * frozen and restarted. <pre>
 * try (RedisServer redis = RedisServer.builder().appendOnly(AppendOnly.ALWAYS).start()) {
 *     redis.client().call("SET", "key", "value");
 *     redis.kill();
 *     redis.restart();
 * }
 * </pre>
 * <p>
 * When {@link #start()} returns, the server has loaded its data and answers. The start
 * verifies that this process answers, and not another process that holds the port. Port,
 * directory and configuration stay the same over every restart. The server ends with this
 * JVM, however the JVM ends.
 * <p>
 * Safe for use by several threads; calls that change the state of the process take turns.
 */
public final class RedisServer implements AutoCloseable {

	private static final int PORT_TRIES = 5;

	private static final int LOG_LINES = 30;

	private final ServerSpec spec;

	private final Path directory;

	// shared and safe
	private volatile int port;

	private volatile boolean frozen;

	private volatile String version;

	private volatile @Nullable ServerProcess process;

	// guarded by this
	private boolean configured;

	RedisServer(ServerSpec spec) {
		this.spec = spec;
		this.directory = (spec.directory() != null) ? Directories.create(spec.directory())
				: Directories.createTemporary();
		this.port = (spec.port() != 0) ? spec.port() : Ports.free();
		this.version = spec.binary().version();
	}

	/**
	 * Starts the configuration of a server: by default a free port, a temporary
	 * directory, no persistence.
	 * @return a builder
	 */
	public static RedisServerBuilder builder() {
		return new RedisServerBuilder();
	}

	/**
	 * Starts the process and waits until it answers.
	 * @return this server
	 * @throws IllegalStateException if it runs already
	 * @throws RedisNotAvailableException if it does not start; the message ends with the
	 * last lines of its log
	 */
	public synchronized RedisServer start() {
		if (isRunning()) {
			throw new IllegalStateException(describe() + " runs already");
		}
		boolean portIsFixed = this.configured || this.spec.port() != 0;
		for (int i = 1; !launch(); i++) {
			if (portIsFixed || i == PORT_TRIES || !logTail().contains("Failed listening on port")) {
				throw new RedisNotAvailableException(describe() + " ended while it started. Its log:\n" + logTail());
			}
			this.port = Ports.free();
			this.configured = false;
		}
		return this;
	}

	/**
	 * Terminates the process as an operator would (SIGTERM): it persists its data as
	 * configured. Does nothing if it does not run.
	 */
	public synchronized void stop() {
		ServerProcess current = this.process;
		if (current != null) {
			if (isRunning()) {
				// a frozen process would not handle the signal
				current.resume();
			}
			current.terminate();
			this.frozen = false;
		}
	}

	/**
	 * Kills the process at once ({@code kill -9}), frozen or not. Does nothing if it does
	 * not run.
	 */
	public synchronized void kill() {
		ServerProcess current = this.process;
		if (current != null) {
			current.kill();
			this.frozen = false;
		}
	}

	/**
	 * Suspends the process (SIGSTOP): connections stay open, the operating system accepts
	 * new ones, and no command is answered.
	 * @throws IllegalStateException if it does not run
	 */
	public synchronized void freeze() {
		running().freeze();
		this.frozen = true;
	}

	/**
	 * Resumes a frozen process (SIGCONT).
	 * @throws IllegalStateException if it does not run
	 */
	public synchronized void resume() {
		running().resume();
		this.frozen = false;
	}

	/**
	 * Stops the process if it runs, and starts it on the same port and directory.
	 * @return this server
	 * @throws RedisNotAvailableException if it does not start
	 */
	public synchronized RedisServer restart() {
		stop();
		return start();
	}

	/**
	 * Whether the process is alive; a frozen one is.
	 * @return false before the start, and after a stop, a kill or a crash
	 */
	public boolean isRunning() {
		ServerProcess current = this.process;
		return current != null && current.isAlive();
	}

	/**
	 * Whether the process was frozen and has not been resumed or ended since.
	 * @return whether it is frozen
	 */
	public boolean isFrozen() {
		return this.frozen;
	}

	/**
	 * Returns the host name.
	 * @return always {@code 127.0.0.1}
	 */
	public String host() {
		return "127.0.0.1";
	}

	/**
	 * Returns the port. Without a configured port, the first start determines it.
	 * @return 1 to 65535
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Returns the address for clients, with the password if {@code requirepass} sets one.
	 * @return for example {@code redis://127.0.0.1:14123}
	 */
	public URI uri() {
		String password = this.spec.password();
		String credentials = (password != null)
				? ":" + URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20") + "@" : "";
		return URI.create("redis://" + credentials + host() + ":" + this.port);
	}

	/**
	 * Returns the id of the process.
	 * @return the id
	 * @throws IllegalStateException if it does not run
	 */
	public long pid() {
		return running().pid();
	}

	/**
	 * Returns the version of the server.
	 * @return for example {@code 7.0.15}
	 */
	public String version() {
		return this.version;
	}

	/**
	 * Returns the data directory.
	 * @return the directory of its data, its configuration and {@code redis.log}
	 */
	public Path directory() {
		return this.directory;
	}

	/**
	 * Opens a connection, which the caller closes.
	 * @return a connection without any driver
	 * @throws UncheckedIOException if the server does not run
	 */
	public RespClient client() {
		return RespClient.connect(uri());
	}

	/**
	 * Sends one command over a connection of its own.
	 * @param command the command and its arguments
	 * @return the reply, as {@link RespClient#call} gives it
	 * @throws RespException if the server answers with an error
	 * @throws UncheckedIOException if the server does not run, or not answer within 5 s
	 */
	public @Nullable Object call(String... command) {
		try (RespClient client = client()) {
			return client.call(command);
		}
	}

	/**
	 * Returns version, origin and address in one line.
	 * @return for example {@code redis-server 7.0.15 (bundled) on 127.0.0.1:14123}
	 */
	public String describe() {
		return this.spec.binary().describe() + (this.spec.sentinel() ? " as sentinel" : "") + " on " + host() + ":"
				+ this.port;
	}

	/**
	 * Returns the last lines of the server's log.
	 * @return up to 30 lines
	 */
	public String logTail() {
		return Directories.tail(ServerSpec.logFile(this.directory), LOG_LINES);
	}

	/** Ends the process and deletes its directory if that is a temporary one. */
	@Override
	public synchronized void close() {
		if (this.spec.detached()) {
			return;
		}
		if (this.spec.directory() == null) {
			kill();
			Directories.delete(this.directory);
		}
		else {
			stop();
		}
	}

	@Override
	public String toString() {
		return describe();
	}

	/** Returns whether the server is up; false if its process ended before. */
	private boolean launch() {
		kill();
		try {
			configure();
			Path log = ServerSpec.logFile(this.directory);
			List<String> command = this.spec.command(this.directory);
			this.process = this.spec.detached() ? ServerProcess.daemon(command, log, ServerSpec.pidFile(this.directory))
					: ServerProcess.child(command, log);
			boolean up = awaitReady(this.process);
			UsedServers.add(this.spec.binary().describe());
			return up;
		}
		catch (IOException ex) {
			throw new RedisNotAvailableException("Cannot start " + describe(), ex);
		}
	}

	private boolean awaitReady(ServerProcess launched) {
		Readiness readiness = new Readiness(uri(), launched.pid());
		try {
			Await.until(Await.LIMIT, () -> describe() + " did not answer. Its log:\n" + logTail() + "\nNo answer",
					() -> !launched.isAlive() || readiness.isGiven());
			this.version = readiness.version().orElse(this.version);
			return launched.isAlive();
		}
		catch (RuntimeException ex) {
			kill();
			throw ex;
		}
	}

	/**
	 * Writes the file only once: a restart keeps changes by the server itself, for
	 * example by CONFIG REWRITE.
	 */
	private void configure() throws IOException {
		if (!this.configured) {
			Files.write(ServerSpec.configurationFile(this.directory),
					this.spec.configuration(this.directory, this.port));
			this.configured = true;
		}
	}

	private ServerProcess running() {
		ServerProcess current = this.process;
		if (current == null || !current.isAlive()) {
			throw new IllegalStateException(describe() + " does not run");
		}
		return current;
	}

}
