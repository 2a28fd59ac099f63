package io.delayqueue.test.redis;

import java.net.URI;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The one Redis server that all tests of this JVM share if they do not need a server of
 * their own. The first available of these servers is used:
 * <ol>
 * <li>the server named by the system property {@value #URL_PROPERTY} or the environment
 * variable {@value #URL_ENVIRONMENT}; a named server that does not answer leads to an
 * exception;</li>
 * <li>a container, if Testcontainers is on the class path and a Docker engine
 * answers;</li>
 * <li>a server process that {@link RedisServer} starts.</li>
 * </ol>
 * The first call of {@link #get()} starts the server, unless a server is named. A started
 * server ends with the JVM. Tests share the data of the server, so each test should use
 * names of its own.
 *
 * <p>
 * Safe for use by several threads.
 */
public final class SharedRedis {

	/**
	 * The system property that contains the address of a running server: {@code
	 * redis://[[user]:password@]host[:port][/database]}.
	 */
	public static final String URL_PROPERTY = "delayqueue.test.redis.url";

	/**
	 * The environment variable that contains the address of a running server. This
	 * variable is used if the system property is not set.
	 */
	public static final String URL_ENVIRONMENT = "DELAYQUEUE_TEST_REDIS_URL";

	/** The system property that contains the image of the container. */
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
	 * Returns the shared server. The first call starts the server, unless a server is
	 * named.
	 * @return the same server for every call
	 * @throws RedisNotAvailableException if no server is available; tests should fail
	 * with this exception
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
	 * Returns the address of the server for clients.
	 * @return for example {@code redis://127.0.0.1:14123}
	 */
	public URI uri() {
		return this.uri;
	}

	/**
	 * Returns the host of the server.
	 * @return a name or an address
	 */
	public String host() {
		return RedisAddress.of(this.uri).host();
	}

	/**
	 * Returns the port of the server.
	 * @return 1 to 65535
	 */
	public int port() {
		return RedisAddress.of(this.uri).port();
	}

	/**
	 * Opens a plain connection to the server, which the caller must close.
	 * @return a connection that uses no Redis driver
	 */
	public RespClient client() {
		return RespClient.connect(this.uri);
	}

	/**
	 * Returns version, origin and address of the server in one line.
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
