package io.delayqueue.test.redis;

import java.net.URI;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The one server of this JVM for tests without special needs. Tests use the first
 * available server:
 * <ol>
 * <li>the server named by the system property {@value #URL_PROPERTY} or the environment
 * variable {@value #URL_ENVIRONMENT}; a named server that does not answer is an
 * error;</li>
 * <li>a container, if Testcontainers is on the class path and a Docker engine
 * answers;</li>
 * <li>a process, as {@link RedisServer} starts it.</li>
 * </ol>
 * The first call of {@link #get()} starts the server, which ends with the JVM, except for
 * a named server. Tests share the data of the server, so each test should use names of
 * its own.
 *
 * <p>
 * Safe for use by several threads.
 */
public final class SharedRedis {

	/**
	 * The system property with the address of a server: {@code
	 * redis://[[user]:password@]host[:port][/database]}.
	 */
	public static final String URL_PROPERTY = "delayqueue.test.redis.url";

	/**
	 * The environment variable with the address of a server, used without the property.
	 */
	public static final String URL_ENVIRONMENT = "DELAYQUEUE_TEST_REDIS_URL";

	/** The system property with the image of the container. */
	public static final String IMAGE_PROPERTY = "delayqueue.test.redis.image";

	private static @Nullable SharedRedis instance;

	private final URI uri;

	private final String description;

	private SharedRedis(URI uri, String origin) {
		this.uri = uri;
		RedisAddress address = RedisAddress.of(uri);
		try (RespClient client = RespClient.connect(uri)) {
			this.description = ServerInfo.from(client).nameAndVersion() + " (" + origin + ") on "
					+ address.hostAndPort();
		}
		catch (RuntimeException ex) {
			throw new RedisNotAvailableException("No Redis answers on " + address.hostAndPort() + " (" + origin + ")",
					ex);
		}
	}

	/**
	 * Returns the server, and starts it at the first call.
	 * @return always the same server
	 * @throws RedisNotAvailableException if there is no server; tests should fail with
	 * this exception
	 */
	public static synchronized SharedRedis get() {
		if (instance == null) {
			instance = open(System::getProperty, System::getenv);
			UsedServers.add("shared " + instance.describe());
		}
		return instance;
	}

	static SharedRedis open(Function<String, @Nullable String> properties,
			Function<String, @Nullable String> environment) {
		String url = properties.apply(URL_PROPERTY);
		if (url == null || url.isBlank()) {
			url = environment.apply(URL_ENVIRONMENT);
		}
		if (url != null && !url.isBlank()) {
			return new SharedRedis(URI.create(url), URL_PROPERTY);
		}
		String image = properties.apply(IMAGE_PROPERTY);
		DockerRedis container = DockerRedis.startIfPossible((image != null && !image.isBlank()) ? image : null);
		if (container != null) {
			return new SharedRedis(container.uri(), container.image());
		}
		RedisBinary binary = RedisBinary.find();
		RedisServer server = RedisServer.builder().binary(binary).start();
		return new SharedRedis(server.uri(), binary.origin());
	}

	/**
	 * Returns the address for clients.
	 * @return for example {@code redis://127.0.0.1:14123}
	 */
	public URI uri() {
		return this.uri;
	}

	/**
	 * Returns the host.
	 * @return a name or an address
	 */
	public String host() {
		return RedisAddress.of(this.uri).host();
	}

	/**
	 * Returns the port.
	 * @return 1 to 65535
	 */
	public int port() {
		return RedisAddress.of(this.uri).port();
	}

	/**
	 * Opens a connection, which the caller closes.
	 * @return a connection without any driver
	 */
	public RespClient client() {
		return RespClient.connect(this.uri);
	}

	/**
	 * Returns version, origin and address in one line.
	 * @return for example {@code redis-server 7.0.15 (bundled) on 127.0.0.1:14123}
	 */
	public String describe() {
		return this.description;
	}

	@Override
	public String toString() {
		return describe();
	}

}
