package io.delayqueue.test.redis;

import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Checks whether a started server process is ready: a server answers at its address, has
 * loaded its data, and is this process, not another server that took the port first.
 */
final class Readiness {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private final URI uri;

	private final String pid;

	private @Nullable String version;

	Readiness(URI uri, long pid) {
		this.uri = uri;
		this.pid = Long.toString(pid);
	}

	boolean isGiven() {
		try (RespClient client = RespClient.connect(this.uri, TIMEOUT)) {
			if (!"PONG".equals(client.call("PING"))) {
				return false;
			}
			ServerInfo info = ServerInfo.from(client);
			if (!info.get("process_id").equals(this.pid)) {
				return false;
			}
			this.version = info.version();
			return true;
		}
		catch (UncheckedIOException ex) {
			return false;
		}
		catch (RespException ex) {
			if (ex.code().equals("LOADING")) {
				return false;
			}
			throw new RedisNotAvailableException("The server runs, but rejects INFO", ex);
		}
	}

	/** Returns the version that the server reports; empty until the server is ready. */
	Optional<String> version() {
		return Optional.ofNullable(this.version);
	}

}
