package io.delayqueue.test.fault;

import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.jspecify.annotations.Nullable;

/**
 * Logs the commands that clients send to a server, as MONITOR reports them. <pre>
 * try (CommandLog log = CommandLog.of(redis)) {
 *     ...
 *     assertThat(log.commands()).hasSizeLessThan(20);
 * }
 * </pre>
 * <p>
 * The log leaves out commands that scripts run inside the server, commands of the log
 * itself, and commands that MONITOR hides (AUTH, HELLO and some administrative commands).
 * Each query of the log waits until the log contains all commands that the server ran
 * before the query.
 * <p>
 * Safe for use by several threads. MONITOR costs the server up to half of its throughput,
 * so a test that measures speed must not use this log. See
 * https://redis.io/docs/latest/commands/monitor/
 */
public final class CommandLog implements AutoCloseable {

	private final RespClient monitor;

	private final RespClient marker;

	private final String markerAddress;

	// guarded by this
	private final List<Command> commands = new ArrayList<>();

	private String lastMark = "";

	private @Nullable RuntimeException failure;

	private CommandLog(URI uri) {
		this.monitor = RespClient.connect(uri, Duration.ZERO);
		this.marker = RespClient.connect(uri);
		this.markerAddress = this.marker.addressSeenByServer();
		this.monitor.call("MONITOR");
		ProxiedConnection.daemon("command-log", this::read);
	}

	/**
	 * Starts a log of the commands of a server.
	 * @param server a running server
	 * @return an empty log that receives commands
	 */
	public static CommandLog of(RedisServer server) {
		return of(server.uri());
	}

	/**
	 * Starts a log of the commands of a server.
	 * @param uri the address of the server in the form of {@link RespClient#connect(URI)}
	 * @return an empty log that receives commands
	 */
	public static CommandLog of(URI uri) {
		return new CommandLog(uri);
	}

	/**
	 * Returns the logged commands since the start or the last {@link #clear()}.
	 * @return the commands, in the order in which the server ran them
	 * @throws UncheckedIOException if the connection to the server is lost
	 */
	public List<Command> commands() {
		catchUp();
		synchronized (this) {
			return List.copyOf(this.commands);
		}
	}

	/**
	 * Returns the number of logged commands since the start or the last {@link #clear()}.
	 * @return 0 or more
	 * @throws UncheckedIOException if the connection to the server is lost
	 */
	public long count() {
		return commands().size();
	}

	/**
	 * Returns the number of logged commands with a name since the start or the last
	 * {@link #clear()}.
	 * @param name for example {@code EVALSHA}; case-insensitive
	 * @return 0 or more
	 * @throws UncheckedIOException if the connection to the server is lost
	 */
	public long count(String name) {
		return commands().stream().filter((command) -> command.name().equalsIgnoreCase(name)).count();
	}

	/**
	 * Removes all commands from the log that the server ran before this call.
	 * @throws UncheckedIOException if the connection to the server is lost
	 */
	public void clear() {
		catchUp();
		synchronized (this) {
			this.commands.clear();
		}
	}

	/**
	 * Stops logging, and closes the connections to the server.
	 */
	@Override
	public void close() {
		this.monitor.close();
		this.marker.close();
	}

	/** Sends an ECHO with a unique text, and waits until MONITOR reports this command. */
	private void catchUp() {
		String mark = UUID.randomUUID().toString();
		this.marker.call("ECHO", mark);
		Await.until(Await.LIMIT, () -> "MONITOR did not catch up", () -> hasReceived(mark));
	}

	private synchronized boolean hasReceived(String mark) {
		if (this.failure != null) {
			throw this.failure;
		}
		return this.lastMark.equals(mark);
	}

	private void read() {
		try {
			while (true) {
				Object line = this.monitor.receive();
				add(MonitorLine.parse(String.valueOf(line)));
			}
		}
		catch (RuntimeException ex) {
			synchronized (this) {
				this.failure = ex;
			}
		}
	}

	private synchronized void add(Command command) {
		if (command.client().equals(this.markerAddress)) {
			this.lastMark = command.arguments().isEmpty() ? "" : command.arguments().get(0);
		}
		else if (!command.client().equals(MonitorLine.SCRIPT)) {
			this.commands.add(command);
		}
	}

	/**
	 * One command of a client.
	 *
	 * @param client the address of the client, for example {@code 127.0.0.1:50322}
	 * @param name the command in upper case, for example {@code EVALSHA}
	 * @param arguments the arguments of the command; bytes that are not UTF-8 are
	 * replaced by U+FFFD
	 */
	public record Command(String client, String name, List<String> arguments) {

		/**
		 * Copies the list of arguments.
		 */
		public Command {
			arguments = List.copyOf(arguments);
		}

	}

}
