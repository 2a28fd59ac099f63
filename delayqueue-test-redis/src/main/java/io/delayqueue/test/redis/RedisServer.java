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
 * A Redis server as a separate process on the loopback interface. A test can kill, freeze
 * and restart the server. <pre>
 * try (RedisServer redis = RedisServer.builder().appendOnly(AppendOnly.ALWAYS).start()) {
 *     redis.client().call("SET", "key", "value");
 *     redis.kill();
 *     redis.restart();
 * }
 * </pre> When {@link #start()} returns, the started server has loaded its data and
 * answers, not another one that uses the same port. Port, directory and configuration
 * stay the same over every restart. The server ends with this JVM, however the JVM ends.
 * This class is thread-safe; calls that change the process run one after the other.
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
	 * {@return a builder of a server, by default with a free port, a temporary directory
	 * and no persistence}
	 */
	public static RedisServerBuilder builder() {
		return new RedisServerBuilder();
	}

	/**
	 * Starts the server process and waits until the server answers.
	 * @return this server
	 * @throws IllegalStateException if the server runs already
	 * @throws RedisNotAvailableException if the server does not start; the message ends
	 * with the last lines of its log
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
	 * Terminates the process (SIGTERM), if the server runs, so that it persists its data
	 * as configured.
	 */
	public synchronized void stop() {
		ServerProcess current = this.process;
		if (current != null) {
			if (isRunning()) {
				// a frozen process would not handle SIGTERM
				current.resume();
			}
			current.terminate();
			this.frozen = false;
		}
	}

	/** Kills the process, if it runs, at once ({@code kill -9}), even if it is frozen. */
	public synchronized void kill() {
		ServerProcess current = this.process;
		if (current != null) {
			current.kill();
			this.frozen = false;
		}
	}

	/**
	 * Suspends the process (SIGSTOP). Connections stay open, also new ones are accepted,
	 * and the server answers no command.
	 * @throws IllegalStateException if the server does not run
	 */
	public synchronized void freeze() {
		running().freeze();
		this.frozen = true;
	}

	/**
	 * Resumes a frozen server process (SIGCONT).
	 * @throws IllegalStateException if the server does not run
	 */
	public synchronized void resume() {
		running().resume();
		this.frozen = false;
	}

	/**
	 * Stops the server if it runs, and starts it with the same port and directory.
	 * @return this server
	 * @throws RedisNotAvailableException if the server does not start
	 */
	public synchronized RedisServer restart() {
		stop();
		return start();
	}

	/** Returns whether the server process is alive; a frozen process is alive. */
	public boolean isRunning() {
		ServerProcess current = this.process;
		return current != null && current.isAlive();
	}

	/**
	 * {@return whether the server process was frozen and has not been resumed or ended
	 * since}
	 */
	public boolean isFrozen() {
		return this.frozen;
	}

	/** Returns the host of the server, always {@code 127.0.0.1}. */
	public String host() {
		return "127.0.0.1";
	}

	/** Returns the port of the server; the first start sets it if none is configured. */
	public int port() {
		return this.port;
	}

	/**
	 * {@return the address for clients, for example {@code redis://127.0.0.1:14123}, with
	 * the password if {@code requirepass} sets one}
	 */
	public URI uri() {
		String password = this.spec.password();
		String credentials = (password != null)
				? ":" + URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20") + "@" : "";
		return URI.create("redis://" + credentials + host() + ":" + this.port);
	}

	/**
	 * {@return the id of the server process}
	 * @throws IllegalStateException if the server does not run
	 */
	public long pid() {
		return running().pid();
	}

	/** Returns the version of the server, for example {@code 7.0.15}. */
	public String version() {
		return this.version;
	}

	/** Returns the directory with the data, the configuration and {@code redis.log}. */
	public Path directory() {
		return this.directory;
	}

	/**
	 * {@return a new connection to the server without a driver, which the caller closes}
	 * @throws UncheckedIOException if the server does not run
	 */
	public RespClient client() {
		return RespClient.connect(uri());
	}

	/**
	 * Sends one command to the server over a new connection.
	 * @param command the command and its arguments
	 * @return the reply, as {@link RespClient#call} returns it
	 * @throws RespException if the server answers with an error
	 * @throws UncheckedIOException if the server does not run, or does not answer within
	 * 2 minutes
	 */
	public @Nullable Object call(String... command) {
		try (RespClient client = client()) {
			return client.call(command);
		}
	}

	/**
	 * {@return version, origin and address of the server, for example {@code redis-server
	 * 7.0.15 (bundled) on 127.0.0.1:14123}}
	 */
	public String describe() {
		return this.spec.binary().describe() + (this.spec.sentinel() ? " as sentinel" : "") + " on " + host() + ":"
				+ this.port;
	}

	/** Returns the last lines of the server's log, at most 30. */
	public String logTail() {
		return Directories.tail(ServerSpec.logFile(this.directory), LOG_LINES);
	}

	/**
	 * Ends the server process, and deletes the directory of the server if it is a
	 * temporary directory. A detached server is left running.
	 */
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

	/** Launches the process; returns false if it has ended before the server answers. */
	private boolean launch() {
		kill();
		try {
			if (!this.configured) {
				// Only before the first start: a restart keeps changes that the server
				// has
				// made, for example by CONFIG REWRITE
				Files.write(ServerSpec.configurationFile(this.directory),
						this.spec.configuration(this.directory, this.port));
				this.configured = true;
			}
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

	private ServerProcess running() {
		ServerProcess current = this.process;
		if (current == null || !current.isAlive()) {
			throw new IllegalStateException(describe() + " does not run");
		}
		return current;
	}

}
