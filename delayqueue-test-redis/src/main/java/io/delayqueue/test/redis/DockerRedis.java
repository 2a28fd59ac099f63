package io.delayqueue.test.redis;

import java.net.URI;

import com.redis.testcontainers.RedisContainer;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.utility.DockerImageName;

/**
 * A Redis server in a Docker container. Testcontainers removes the container when the JVM
 * has ended.
 *
 * @param image the image, for example {@code redis:8-alpine}
 * @param uri the address of the server
 */
record DockerRedis(String image, URI uri) {

	private static final String DEFAULT_IMAGE = "redis:8-alpine";

	/**
	 * Starts a container with a Redis server.
	 * @param image the image, or null for the default image
	 * @return the container, or null if no container can be started: no Testcontainers on
	 * the class path, no Docker engine, or no image
	 * @throws RedisNotAvailableException if an image was requested and no container can
	 * be started
	 */
	static @Nullable DockerRedis startIfPossible(@Nullable String image) {
		if (!isPossible()) {
			if (image != null) {
				throw new RedisNotAvailableException("Docker or Testcontainers is not available, but "
						+ SharedRedis.IMAGE_PROPERTY + " requests the image " + image);
			}
			return null;
		}
		if (image != null) {
			return Container.start(image);
		}
		try {
			return Container.start(DEFAULT_IMAGE);
		}
		catch (RedisNotAvailableException ex) {
			// if the Docker engine has no access to images, the tests use a server
			// process instead of failing, and the report mentions the missing container
			UsedServers.add("no container of " + DEFAULT_IMAGE + ", because it did not start");
			return null;
		}
	}

	private static boolean isPossible() {
		try {
			return Container.isDockerAvailable();
		}
		catch (NoClassDefFoundError ex) {
			return false;
		}
	}

	/**
	 * Contains all uses of Testcontainers, so that {@link DockerRedis} can be loaded if
	 * Testcontainers is not on the class path.
	 */
	private static final class Container {

		private Container() {
		}

		static boolean isDockerAvailable() {
			return DockerClientFactory.instance().isDockerAvailable();
		}

		static DockerRedis start(String image) {
			try {
				RedisContainer container = new RedisContainer(
						DockerImageName.parse(image).asCompatibleSubstituteFor("redis"));
				container.start();
				return new DockerRedis(image,
						URI.create("redis://" + container.getRedisHost() + ":" + container.getRedisPort()));
			}
			catch (RuntimeException ex) {
				throw new RedisNotAvailableException("Docker cannot start " + image + ". Name a server with "
						+ SharedRedis.URL_PROPERTY + " instead, or another image with " + SharedRedis.IMAGE_PROPERTY,
						ex);
			}
		}

	}

}
