package io.delayqueue.sample.redis;

import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.RespException;

/** Finds out whether the server at a port is the one that works in a directory. */
final class RedisProbe {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final Path directory;

	RedisProbe(Path directory) {
		this.directory = directory;
	}

	Finding ask(int port) {
		try (RespClient client = RespClient.connect(URI.create("redis://127.0.0.1:" + port), TIMEOUT)) {
			if (!(client.call("CONFIG", "GET", "dir") instanceof List<?> setting) || setting.size() != 2
					|| !Path.of(String.valueOf(setting.get(1))).equals(this.directory)) {
				return Finding.STRANGER;
			}
			return isLoaded(client) ? Finding.READY : Finding.LOADING;
		}
		catch (UncheckedIOException ex) {
			if (ex.getCause() instanceof ConnectException) {
				return Finding.NOBODY;
			}
			return Finding.SILENT;
		}
		catch (RuntimeException ex) {
			// it asks for a password, or speaks another language
			return Finding.STRANGER;
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

	/** Who is at a port. */
	enum Finding {

		/** The server of the directory. */
		READY,

		/** The server of the directory, which reads its data. */
		LOADING,

		/**
		 * Somebody who takes connections and says nothing, or hangs up: frozen, or just
		 * ending.
		 */
		SILENT,

		/** Somebody else. */
		STRANGER,

		NOBODY

	}

}
