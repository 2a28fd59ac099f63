package io.delayqueue.sample.redis;

import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.RespException;

/** Checks whether the server at a port is the server of a directory. */
final class RedisProbe {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final Path directory;

	RedisProbe(Path directory) {
		this.directory = directory;
	}

	Finding probe(int port) {
		try (RespClient client = RespClient.connect(URI.create("redis://127.0.0.1:" + port), TIMEOUT)) {
			if (!(client.call("CONFIG", "GET", "dir") instanceof List<?> setting) || setting.size() != 2
					|| !Path.of(String.valueOf(setting.get(1))).equals(this.directory)) {
				return Finding.OTHER;
			}
			return isLoaded(client) ? Finding.READY : Finding.LOADING;
		}
		catch (UncheckedIOException ex) {
			if (ex.getCause() instanceof ConnectException) {
				return Finding.NONE;
			}
			return Finding.SILENT;
		}
		catch (RuntimeException ex) {
			// it requires a password, or uses another protocol
			return Finding.OTHER;
		}
	}

	private static boolean isLoaded(RespClient client) {
		try {
			client.call("PING");
			return true;
		}
		catch (RespException ex) {
			return !ex.code().equals("LOADING");
		}
	}

	/** The result of a probe. */
	enum Finding {

		/** The server of the directory. */
		READY,

		/** The server of the directory, which is loading its data. */
		LOADING,

		/**
		 * A process that accepts connections and sends nothing or closes them: it is
		 * frozen or stopping.
		 */
		SILENT,

		/** Another server. */
		OTHER,

		NONE

	}

}
