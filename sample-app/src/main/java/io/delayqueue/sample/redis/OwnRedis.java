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
 * A Redis server of the application's own, one for each directory:
 * <ol>
 * <li>The directory's lock is taken, so that of two instances that start at once one
 * waits for the other's server.</li>
 * <li>Whoever listens at the port in the port file is asked which directory it works in;
 * a port may long belong to somebody else. The right server is adopted, after it has read
 * its data.</li>
 * <li>While the process that last worked in the directory lives without answering, no
 * second one is started beside it: the two would destroy the data. The start fails.</li>
 * <li>Otherwise a server is started, at the old port if that is free, for other instances
 * may still expect it there. The port is written down before the process is there, so a
 * crash in between cannot hide it.</li>
 * </ol>
 * The server is a process of its own session: it survives the application, and Ctrl-C in
 * the terminal. It is never stopped from here, because another instance may use it. Each
 * write is flushed to disk before it is answered ({@code appendfsync always}): flushed
 * once a second, answered writes can be lost when the machine goes down.
 */
final class OwnRedis {

	private static final Logger logger = LoggerFactory.getLogger(OwnRedis.class);

	private static final Duration LOCK_LIMIT = Duration.ofMinutes(2);

	private static final Duration LOADING_LIMIT = Duration.ofMinutes(2);

	private static final Duration SILENCE_LIMIT = Duration.ofSeconds(15);

	/** A killed server hangs up for a moment before its port is free again. */
	private static final Duration LEAVING_LIMIT = Duration.ofSeconds(3);

	private static final Duration PAUSE = Duration.ofMillis(100);

	private static final String OTHER_SERVER = "set spring.data.redis.url to a Redis server of your own";

	private final Path directory;

	OwnRedis(Path directory) {
		this.directory = directory;
	}

	/**
	 * Finds the living server of the directory, or starts one.
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
					logger.info("Using the Redis server at port {} that works in {}", port, home.directory());
					return port;
				}
				return start(home, (finding == Finding.NOBODY) ? port : 0);
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

	/** Who is at the port when whoever works in the directory had time to answer. */
	private static Finding settled(RedisHome home, int port) throws IOException {
		RedisProbe probe = new RedisProbe(home.directory());
		long begin = System.nanoTime();
		while (true) {
			Finding finding = (port != 0) ? probe.ask(port) : Finding.NOBODY;
			long inhabitant = home.inhabitant();
			boolean leaving = finding == Finding.SILENT && System.nanoTime() - begin < LEAVING_LIMIT.toNanos();
			if (finding == Finding.READY || (finding != Finding.LOADING && inhabitant == 0 && !leaving)) {
				return finding;
			}
			Duration limit = (finding == Finding.LOADING) ? LOADING_LIMIT : SILENCE_LIMIT;
			if (System.nanoTime() - begin > limit.toNanos()) {
				throw new OwnRedisException(
						"The Redis server that works in %s (process %d) does not answer at the port in its port file (%s)"
							.formatted(home.directory(), inhabitant, finding),
						"End that process and start again, or set sample.redis.dir to another directory. If the process "
								+ "is none of the sample's, delete redis.pid in that directory.",
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
				throw new IOException("another start keeps its lock");
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
