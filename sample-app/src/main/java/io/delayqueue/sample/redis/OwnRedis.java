package io.delayqueue.sample.redis;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;

import io.delayqueue.sample.redis.RedisProbe.Finding;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisNotAvailableException;
import io.delayqueue.test.redis.RedisServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Redis server that the application starts, one for each directory:
 * <ol>
 * <li>The application takes the lock of the directory, so that concurrently starting
 * instances use the same server.</li>
 * <li>It asks the server at the port of the port file for its directory, because another
 * program may use the port by now. The server of the directory is used as soon as it has
 * loaded its data.</li>
 * <li>If the process that last used the directory is alive and does not answer, the start
 * fails. A second server would destroy the data.</li>
 * <li>Otherwise the application starts a server, at the old port if that is free, because
 * other instances may still use it. The port file is written before the process starts,
 * so a crash in between cannot hide the server.</li>
 * </ol>
 * The server has its own session: it survives the application and Ctrl-C in the terminal.
 * The application never stops it, because another instance may use it. Each write is
 * flushed to disk before the reply ({@code appendfsync always}); with a flush once a
 * second, acknowledged writes can be lost when the machine fails.
 */
final class OwnRedis {

	private static final Logger logger = LoggerFactory.getLogger(OwnRedis.class);

	private static final Duration LOCK_LIMIT = Duration.ofMinutes(2);

	private static final Duration LOADING_LIMIT = Duration.ofMinutes(2);

	private static final Duration SILENCE_LIMIT = Duration.ofSeconds(15);

	/** After a kill, the server's port is occupied for a moment. */
	private static final Duration LEAVING_LIMIT = Duration.ofSeconds(3);

	private static final Duration PAUSE = Duration.ofMillis(100);

	private static final String OTHER_SERVER = "set spring.data.redis.url to a Redis server of your own";

	private final Path directory;

	OwnRedis(Path directory) {
		this.directory = directory;
	}

	/**
	 * Finds the running server of the directory, or starts one.
	 * @return its port on the loopback interface
	 * @throws OwnRedisException if there is no server and none can be started
	 */
	int findOrStart() {
		try {
			RedisHome home = RedisHome.at(this.directory);
			FileChannel lock = lock(home);
			try {
				int port = home.port().orElse(0);
				Finding finding = settled(home, port);
				if (finding == Finding.READY) {
					logger.info("Using the Redis server at port {} with directory {}", port, home.directory());
					return port;
				}
				return start(home, (finding == Finding.NONE) ? port : 0);
			}
			finally {
				lock.close();
			}
		}
		catch (IOException ex) {
			throw new OwnRedisException("The directory " + this.directory + " cannot be used for a Redis server: " + ex,
					"Set sample.redis.dir to a directory that can be written, or " + OTHER_SERVER + ".", ex);
		}
		catch (RedisNotAvailableException ex) {
			throw new OwnRedisException("No Redis server can be started: " + ex.getMessage(),
					"Follow the advice above, or " + OTHER_SERVER + ".", ex);
		}
	}

	/** Probes the port until the result is final or the server has had time to answer. */
	private static Finding settled(RedisHome home, int port) throws IOException {
		RedisProbe probe = new RedisProbe(home.directory());
		long begin = System.nanoTime();
		while (true) {
			Finding finding = (port != 0) ? probe.probe(port) : Finding.NONE;
			long process = home.process();
			boolean leaving = finding == Finding.SILENT && System.nanoTime() - begin < LEAVING_LIMIT.toNanos();
			if (finding == Finding.READY || (finding != Finding.LOADING && process == 0 && !leaving)) {
				return finding;
			}
			Duration limit = (finding == Finding.LOADING) ? LOADING_LIMIT : SILENCE_LIMIT;
			if (System.nanoTime() - begin > limit.toNanos()) {
				throw new OwnRedisException(
						"The Redis server of directory %s (process %d) does not answer at the port in its port file (%s)"
							.formatted(home.directory(), process, finding),
						"End that process and start again, or set sample.redis.dir to another directory. If the process "
								+ "does not belong to the sample, delete redis.pid in that directory.",
						null);
			}
			pause();
		}
	}

	private static int start(RedisHome home, int port) throws IOException {
		RedisServer server = RedisServer.builder()
			.directory(home.directory())
			.port(port)
			.appendOnly(AppendOnly.ALWAYS)
			.detached()
			.build();
		home.writePort(server.port());
		server.start();
		home.writePort(server.port());
		logger.info("Started a Redis server at port {} in {}. It outlives the application; to stop it: kill {}",
				server.port(), home.directory(), server.pid());
		return server.port();
	}

	private static FileChannel lock(RedisHome home) throws IOException {
		long begin = System.nanoTime();
		while (true) {
			FileChannel lock = home.tryLock();
			if (lock != null) {
				return lock;
			}
			if (System.nanoTime() - begin > LOCK_LIMIT.toNanos()) {
				throw new IOException("another starting instance holds its lock");
			}
			pause();
		}
	}

	private static void pause() throws IOException {
		try {
			Thread.sleep(PAUSE.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("interrupted", ex);
		}
	}

}
