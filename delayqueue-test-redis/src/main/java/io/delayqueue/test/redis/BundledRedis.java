package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * The Redis server programs that the jar {@code org.signal:embedded-redis} contains as
 * resources.
 *
 * <p>
 * The program of a platform is copied once into a directory of the user and stays there.
 * The copy gets its final name in one atomic step, so several JVMs may copy the program
 * at the same time.
 *
 * @param platform operating system and architecture, as in the names of the resources
 * @param cache the directory for the copies of the programs
 */
record BundledRedis(String platform, Path cache) {

	private static final String PREFIX = "redis-server-7.0.15-";

	static BundledRedis forThisPlatform() {
		return new BundledRedis(platform(System.getProperty("os.name"), System.getProperty("os.arch")),
				Path.of(System.getProperty("user.home"), ".cache", "delayqueue-test-redis"));
	}

	static String platform(String osName, String osArch) {
		String os = osName.toLowerCase(Locale.ROOT);
		String system = os.startsWith("mac") ? "darwin" : os.replace(' ', '-');
		String architecture = switch (osArch.toLowerCase(Locale.ROOT)) {
			case "x86_64", "amd64" -> "amd64";
			case "aarch64", "arm64" -> "arm64";
			case "x86", "i386", "i486", "i586", "i686" -> "386";
			default -> osArch;
		};
		return system + "-" + architecture;
	}

	Path extract() {
		URL resource = BundledRedis.class.getResource("/" + PREFIX + this.platform);
		if (resource == null) {
			throw new RedisNotAvailableException(
					"No Redis server is bundled for " + this.platform + ". " + RedisBinary.advice());
		}
		try {
			Path target = usableCache().resolve(PREFIX + this.platform);
			if (!isComplete(target, resource)) {
				copy(resource, target);
			}
			return target;
		}
		catch (IOException ex) {
			throw new RedisNotAvailableException("Cannot extract the bundled Redis server. " + RedisBinary.advice(),
					ex);
		}
	}

	/**
	 * Returns the cache directory, or a temporary directory if the home directory is
	 * read-only, as in many containers.
	 */
	private Path usableCache() throws IOException {
		try {
			return Files.createDirectories(this.cache);
		}
		catch (IOException ex) {
			return Files.createTempDirectory("delayqueue-test-redis");
		}
	}

	private static boolean isComplete(Path target, URL resource) throws IOException {
		return Files.isExecutable(target) && Files.size(target) == resource.openConnection().getContentLengthLong();
	}

	private static void copy(URL resource, Path target) throws IOException {
		Path draft = Files.createTempFile(target.getParent(), PREFIX, ".draft");
		try (InputStream in = resource.openStream()) {
			Files.copy(in, draft, StandardCopyOption.REPLACE_EXISTING);
			if (!draft.toFile().setExecutable(true)) {
				throw new IOException("Cannot make " + draft + " executable");
			}
			Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
		}
		finally {
			Files.deleteIfExists(draft);
		}
	}

}
