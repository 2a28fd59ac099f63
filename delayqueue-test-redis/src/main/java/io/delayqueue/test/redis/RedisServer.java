package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A Redis server as a process of its own, on the loopback interface, that can be killed,
 * frozen and restarted. <pre>
 * try (RedisServer redis = RedisServer.builder().appendOnly(AppendOnly.ALWAYS).start()) {
 *     redis.client().call("SET", "key", "value");
 *     redis.kill();
 *     redis.restart();
 * }
 * </pre>
 * <p>
 * When {@link #start()} returns, the server has loaded its data and answers, and it is
 * proven to be this process and no other that happened to hold the port. Port, directory
 * and configuration stay the same over every restart. The server ends with this JVM,
 * however the JVM ends, unless it was built {@linkplain RedisServerBuilder#detached()
 * detached}.
 * <p>
 * Safe for use by several threads; what changes the state of the process waits its turn.
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
	 * Begins a server: a free port, a temporary directory, nothing written to disk.
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
	 * Ends the process as an operator would (SIGTERM): it finishes writing what its
	 * configuration says. Does nothing if it does not run.
	 */
	public synchronized void stop() {
		ServerProcess current = this.process;
		if (current != null) {
			if (isRunning()) {
				// a frozen process would not take the signal
				current.resume();
			}
			current.terminate();
			this.frozen = false;
		}
	}

	/**
	 * Ends the process at once ({@code kill -9}), frozen or not. Does nothing if it does
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
	 * Stops the process where it stands (SIGSTOP): connections stay open, new ones are
	 * accepted by the operating system, and nothing is answered.
	 * @throws IllegalStateException if it does not run
	 */
	public synchronized void freeze() {
		running().freeze();
		this.frozen = true;
	}

	/**
	 * Lets a frozen process go on (SIGCONT).
	 * @throws IllegalStateException if it does not run
	 */
	public synchronized void resume() {
		running().resume();
		this.frozen = false;
	}

	/**
	 * Sets the clock of the process forward or back, while it runs; a restart sets it
	 * right. Only on Linux on x86-64.
	 * @param offset by how much it shall differ from the machine's clock, in whole
	 * seconds
	 * @throws IllegalStateException if it does not run, or that cannot be done on this
	 * machine; the message says what is missing
	 */
	public synchronized void setClock(Duration offset) {
		boolean wasFrozen = this.frozen;
		freeze();
		try {
			while (ServerClock.isBeingAsked(pid())) {
				resume();
				freeze();
			}
			ServerClock.set(pid(), offset);
		}
		finally {
			if (!wasFrozen) {
				resume();
			}
		}
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
	 * Whether the process lives; a frozen one does.
	 * @return false before the start, and after a stop, a kill or a crash
	 */
	public boolean isRunning() {
		ServerProcess current = this.process;
		return current != null && current.isAlive();
	}

	/**
	 * Whether the process was frozen and has not been resumed or ended since.
	 * @return whether it stands still
	 */
	public boolean isFrozen() {
		return this.frozen;
	}

	/**
	 * The host name.
	 * @return always {@code 127.0.0.1}
	 */
	public String host() {
		return "127.0.0.1";
	}

	/**
	 * The port. If none was asked for, it is settled by the first start.
	 * @return 1 to 65535
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Where clients connect to, with the password if one was set by {@code requirepass}.
	 * @return for example {@code redis://127.0.0.1:14123}
	 */
	public URI uri() {
		String password = this.spec.password();
		String credentials = (password != null)
				? ":" + URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20") + "@" : "";
		return URI.create("redis://" + credentials + host() + ":" + this.port);
	}

	/**
	 * The id of the process.
	 * @return the id
	 * @throws IllegalStateException if it does not run
	 */
	public long pid() {
		return running().pid();
	}

	/**
	 * The version of the server.
	 * @return for example {@code 7.0.15}
	 */
	public String version() {
		return this.version;
	}

	/**
	 * The data directory.
	 * @return where the server keeps its data, its configuration and {@code redis.log}
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
	 * Waits until a replica has everything that this server has confirmed by now.
	 * @param replica a replica of this server
	 * @param limit how long at most
	 * @throws RedisNotAvailableException if it has not got it in time
	 */
	public void awaitCopiedTo(RedisServer replica, Duration limit) {
		Replication.awaitOffset(replica, Long.parseLong(info().get("master_repl_offset")), limit);
	}

	/**
	 * What runs here, in a few words.
	 * @return for example {@code redis-server 7.0.15 (bundled) on 127.0.0.1:14123}
	 */
	public String describe() {
		return this.spec.binary().describe() + (this.spec.sentinel() ? " as sentinel" : "") + " on " + host() + ":"
				+ this.port;
	}

	/**
	 * The last lines that the server logged.
	 * @return up to 30 lines
	 */
	public String logTail() {
		return Directories.tail(ServerSpec.logFile(this.directory), LOG_LINES);
	}

	/**
	 * Ends the process and deletes its directory if that is a temporary one. A detached
	 * server goes on: end it by {@link #stop()}.
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

	/**
	 * Asks the server for INFO.
	 */
	ServerInfo info() {
		try (RespClient client = client()) {
			return ServerInfo.ask(client);
		}
	}

	boolean isResponsive() {
		return isRunning() && !this.frozen;
	}

	/**
	 * Answers whether the server is up; false if its process ended before.
	 */
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
	 * Written once: a restart keeps what the server itself has noted there, for example
	 * by CONFIG REWRITE.
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
