package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A Redis server for demos, which outlives this JVM and keeps its data in a directory.
 * All processes that name the same directory use the same server:
 * <ol>
 * <li>A process takes the lock of the directory, so that processes which start at the
 * same time use the same server.</li>
 * <li>The process asks the server at the port in the port file for its directory, because
 * another program may use the port by now. If the server belongs to the directory, the
 * process uses it as soon as the server has loaded its data.</li>
 * <li>If the server process that last used the directory is alive and does not answer,
 * the call fails. A second server would destroy the data of the directory.</li>
 * <li>Otherwise the process starts a server, at the old port if that port is free,
 * because other processes may still use the old address. The port file is written before
 * the server starts, so a crash in between cannot hide the server.</li>
 * </ol>
 * The server has its own session, so it survives Ctrl-C in the terminal. No process stops
 * the server, because another process may use it. Each write is flushed to disk before
 * the reply ({@code appendfsync always}); if the server flushed once a second, a failure
 * of the machine could lose acknowledged writes.
 */
public final class PersistentRedis {

	private static final System.Logger logger = System.getLogger(PersistentRedis.class.getName());

	private static final Duration LOCK_LIMIT = Duration.ofMinutes(2);

	private static final Duration LOADING_LIMIT = Duration.ofMinutes(2);

	private static final Duration SILENCE_LIMIT = Duration.ofSeconds(15);

	/** The time for which the port of a killed server may stay occupied. */
	private static final Duration LEAVING_LIMIT = Duration.ofSeconds(3);

	private static final Duration PAUSE = Duration.ofMillis(100);

	private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(1);

	private PersistentRedis() {
	}

	/**
	 * Finds the running server of a directory, or starts one.
	 * @param directory the data directory, created if missing
	 * @return the address for clients, on the loopback interface
	 * @throws RedisNotAvailableException if the directory has no running server and no
	 * server can be started
	 */
	public static URI findOrStart(Path directory) {
		try {
			RedisHome home = RedisHome.at(directory);
			FileChannel lock = lock(home);
			try {
				int port = home.port();
				Finding finding = probeUntilFinal(home, port);
				if (finding == Finding.READY) {
					logger.log(System.Logger.Level.INFO,
							"Using the Redis server at port " + port + " with directory " + home.directory());
					return address(port);
				}
				return start(home, (finding == Finding.NONE) ? port : 0);
			}
			finally {
				lock.close();
			}
		}
		catch (IOException ex) {
			throw new RedisNotAvailableException(
					"The directory " + directory + " cannot be used for a Redis server: " + ex, ex);
		}
	}

	/**
	 * Probes the port until the result is final, or until the time limit of the server
	 * for an answer has passed.
	 */
	private static Finding probeUntilFinal(RedisHome home, int port) throws IOException {
		long begin = System.nanoTime();
		while (true) {
			Finding finding = (port != 0) ? probe(home, port) : Finding.NONE;
			long process = home.process();
			boolean leaving = finding == Finding.SILENT && !isOver(begin, LEAVING_LIMIT);
			if (finding == Finding.READY || (finding != Finding.LOADING && process == 0 && !leaving)) {
				return finding;
			}
			if (isOver(begin, (finding == Finding.LOADING) ? LOADING_LIMIT : SILENCE_LIMIT)) {
				throw new RedisNotAvailableException("""
						The Redis server of directory %s (process %d) does not answer at the port in its port file \
						(%s). End that process, or use another directory. If the process does not belong to the \
						server, delete redis.pid in that directory.""".formatted(home.directory(), process, finding));
			}
			pause();
		}
	}

	private static Finding probe(RedisHome home, int port) {
		try (RespClient client = RespClient.connect(address(port), REPLY_TIMEOUT)) {
			if (!(client.call("CONFIG", "GET", "dir") instanceof List<?> setting) || setting.size() != 2
					|| !Path.of(String.valueOf(setting.get(1))).equals(home.directory())) {
				return Finding.OTHER;
			}
			return ServerInfo.from(client).get("loading").equals("1") ? Finding.LOADING : Finding.READY;
		}
		catch (UncheckedIOException ex) {
			return (ex.getCause() instanceof ConnectException) ? Finding.NONE : Finding.SILENT;
		}
		catch (RuntimeException ex) {
			// the program at the port requires a password, or uses another protocol
			return Finding.OTHER;
		}
	}

	private static URI start(RedisHome home, int port) throws IOException {
		RedisServer server = RedisServer.builder()
			.directory(home.directory())
			.port(port)
			.appendOnly(AppendOnly.ALWAYS)
			.detached()
			.build();
		home.writePort(server.port());
		server.start();
		home.writePort(server.port());
		logger.log(System.Logger.Level.INFO, "Started a Redis server at port " + server.port() + " in "
				+ home.directory() + ". It outlives the application; to stop it: kill " + server.pid());
		return server.uri();
	}

	private static FileChannel lock(RedisHome home) throws IOException {
		long begin = System.nanoTime();
		while (true) {
			FileChannel lock = home.tryLock();
			if (lock != null) {
				return lock;
			}
			if (isOver(begin, LOCK_LIMIT)) {
				throw new IOException("another starting process holds its lock");
			}
			pause();
		}
	}

	private static boolean isOver(long begin, Duration limit) {
		return System.nanoTime() - begin > limit.toNanos();
	}

	private static void pause() throws IOException {
		LockSupport.parkNanos(PAUSE.toNanos());
		if (Thread.currentThread().isInterrupted()) {
			throw new IOException("interrupted");
		}
	}

	private static URI address(int port) {
		return URI.create("redis://127.0.0.1:" + port);
	}

	/** The result of a probe of the port. */
	private enum Finding {

		/** The server of the directory answers at the port. */
		READY,

		/** The server of the directory answers at the port and is loading its data. */
		LOADING,

		/**
		 * A process accepts connections at the port, and sends nothing or closes the
		 * connections: the process is frozen or stopping.
		 */
		SILENT,

		/** A server of another directory, or another program, answers at the port. */
		OTHER,

		NONE

	}

}
