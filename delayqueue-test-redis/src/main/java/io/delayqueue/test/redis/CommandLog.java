package io.delayqueue.test.redis;

import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * The commands that clients sent to a server, as MONITOR sees them. <pre>
 * try (CommandLog log = CommandLog.of(redis)) {
 *     ...
 *     assertThat(log.commands()).hasSizeLessThan(20);
 * }
 * </pre>
 * <p>
 * What a script runs inside the server is not counted, nor what this log itself sends,
 * nor the commands that MONITOR hides (AUTH, HELLO and some of administration). A
 * question is answered when everything that the server had run before it is in the log.
 * <p>
 * Safe for use by several threads. MONITOR costs the server up to half of its throughput:
 * not for measuring speed. See https://redis.io/docs/latest/commands/monitor/
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
		this.monitor = RespClient.connect(uri);
		this.marker = RespClient.connect(uri);
		this.markerAddress = this.marker.addressSeenByServer();
		this.monitor.call("MONITOR");
		this.monitor.waitForever();
		ProxiedConnection.daemon("command-log", this::read);
	}

	/**
	 * Begins to log the commands of a server.
	 * @param server a server that runs
	 * @return a log that is empty and attached
	 */
	public static CommandLog of(RedisServer server) {
		return of(server.uri());
	}

	/**
	 * Begins to log the commands of a server.
	 * @param uri where it is, as {@link RespClient#connect(URI)} takes it
	 * @return a log that is empty and attached
	 */
	public static CommandLog of(URI uri) {
		return new CommandLog(uri);
	}

	/**
	 * The commands since the start or the last {@link #clear()}.
	 * @return in the order in which the server ran them
	 * @throws UncheckedIOException if the server has gone
	 */
	public List<Command> commands() {
		catchUp();
		synchronized (this) {
			return List.copyOf(this.commands);
		}
	}

	/**
	 * The number of commands since the start or the last {@link #clear()}.
	 * @return 0 or more
	 * @throws UncheckedIOException if the server has gone
	 */
	public long count() {
		return commands().size();
	}

	/**
	 * The number of commands of one name since the start or the last {@link #clear()}.
	 * @param name for example {@code EVALSHA}; upper or lower case does not matter
	 * @return 0 or more
	 * @throws UncheckedIOException if the server has gone
	 */
	public long count(String name) {
		return commands().stream().filter((command) -> command.name().equalsIgnoreCase(name)).count();
	}

	/**
	 * Forgets everything that the server has run before this call.
	 * @throws UncheckedIOException if the server has gone
	 */
	public void clear() {
		catchUp();
		synchronized (this) {
			this.commands.clear();
		}
	}

	/**
	 * Stops logging.
	 */
	@Override
	public void close() {
		this.monitor.close();
		this.marker.close();
	}

	/**
	 * Sends a mark and waits until it comes by.
	 */
	private void catchUp() {
		String mark = UUID.randomUUID().toString();
		this.marker.call("ECHO", mark);
		Await.until(Await.LIMIT, () -> "MONITOR did not catch up", () -> hasSeen(mark));
	}

	private synchronized boolean hasSeen(String mark) {
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
	 * One command that a client sent.
	 *
	 * @param client the address of the client, for example {@code 127.0.0.1:50322}
	 * @param name the command in upper case, for example {@code EVALSHA}
	 * @param arguments its arguments; bytes that are not UTF-8 come out as U+FFFD
	 */
	public record Command(String client, String name, List<String> arguments) {

		/**
		 * Copies the arguments.
		 */
		public Command {
			arguments = List.copyOf(arguments);
		}

	}

}
