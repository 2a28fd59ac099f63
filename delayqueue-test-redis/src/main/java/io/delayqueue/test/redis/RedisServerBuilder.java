package io.delayqueue.test.redis;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** Configures a {@link RedisServer}. Not safe for use by several threads. */
public final class RedisServerBuilder {

	private final List<Setting> settings = new ArrayList<>();

	private AppendOnly appendOnly = AppendOnly.OFF;

	private boolean sentinel;

	private boolean detached;

	private @Nullable RedisBinary binary;

	private @Nullable Path directory;

	private int port;

	RedisServerBuilder() {
	}

	/**
	 * Sets the server program.
	 * @param binary the program, instead of the result of {@link RedisBinary#find()}
	 * @return this builder
	 */
	public RedisServerBuilder binary(RedisBinary binary) {
		this.binary = binary;
		return this;
	}

	/**
	 * Sets the port of the server.
	 * @param port 1 to 65535, or 0 for a free port
	 * @return this builder
	 */
	public RedisServerBuilder port(int port) {
		this.port = port;
		return this;
	}

	/**
	 * Sets the data directory, which is created if missing and never deleted.
	 * @param directory where the server keeps its data, its configuration and its log
	 * @return this builder
	 */
	public RedisServerBuilder directory(Path directory) {
		this.directory = directory;
		return this;
	}

	/**
	 * Sets the persistence of the server.
	 * @param appendOnly {@link AppendOnly#OFF} by default
	 * @return this builder
	 */
	public RedisServerBuilder appendOnly(AppendOnly appendOnly) {
		this.appendOnly = appendOnly;
		return this;
	}

	/**
	 * Adds a line to the configuration of the server. The line overrides the lines that
	 * this builder writes.
	 * @param name the directive, for example {@code maxmemory}
	 * @param values the arguments of the directive, unquoted
	 * @return this builder
	 */
	public RedisServerBuilder setting(String name, Object... values) {
		this.settings.add(Setting.of(name, values));
		return this;
	}

	/**
	 * Lets the server outlive this JVM, and detaches it from the signals of its terminal.
	 * {@link RedisServer#close()} leaves the server running.
	 */
	RedisServerBuilder detached() {
		this.detached = true;
		return this;
	}

	/**
	 * Makes the program run as a sentinel instead of a server with data.
	 * @return this builder
	 */
	public RedisServerBuilder sentinel() {
		this.sentinel = true;
		return this;
	}

	/**
	 * Creates the server, without starting it.
	 * @return a server that does not run yet
	 * @throws IllegalArgumentException if the port is out of bounds, or a detached server
	 * has no directory
	 * @throws RedisNotAvailableException if no server program is found
	 */
	public RedisServer build() {
		if (this.detached && this.directory == null) {
			throw new IllegalArgumentException(
					"A detached server needs a directory: a temporary one would never be deleted");
		}
		RedisBinary program = (this.binary != null) ? this.binary : RedisBinary.find();
		return new RedisServer(new ServerSpec(program, this.sentinel, this.detached, this.appendOnly, this.directory,
				this.port, this.settings));
	}

	/**
	 * Creates the server and starts it.
	 * @return a server that answers
	 * @throws RedisNotAvailableException if the server does not start
	 */
	public RedisServer start() {
		RedisServer server = build();
		try {
			return server.start();
		}
		catch (RuntimeException ex) {
			server.close();
			throw ex;
		}
	}

}
