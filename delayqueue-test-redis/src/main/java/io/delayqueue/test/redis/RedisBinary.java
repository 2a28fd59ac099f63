package io.delayqueue.test.redis;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The Redis server program that tests start. Tests use the first of these programs that
 * exists:
 * <ol>
 * <li>the program named by the system property {@value #PROPERTY} or the environment
 * variable {@value #ENVIRONMENT}; a named program that does not work leads to an
 * exception;</li>
 * <li>{@code redis-server} on the {@code PATH}, if its version is 7.0 or newer;</li>
 * <li>the bundled server of version 7.0.15 (Linux and macOS).</li>
 * </ol>
 * The property or variable may also name a Valkey server. Tests run the same program as a
 * sentinel.
 */
public final class RedisBinary {

	/** The system property that contains the path of the server program. */
	public static final String PROPERTY = "delayqueue.test.redis.binary";

	/**
	 * The environment variable that contains the path of the server program. This
	 * variable is used if the system property is not set.
	 */
	public static final String ENVIRONMENT = "DELAYQUEUE_TEST_REDIS_BINARY";

	private static final Pattern VERSION = Pattern.compile("(\\w+) server v=(\\d+)(\\S*)");

	private static final int OLDEST_MAJOR = 7;

	private final Path path;

	private final String name;

	private final String version;

	private final String origin;

	private RedisBinary(Path path, Matcher version, String origin) {
		this.path = path;
		this.name = version.group(1).toLowerCase(Locale.ROOT) + "-server";
		this.version = version.group(2) + version.group(3);
		this.origin = origin;
	}

	/**
	 * Finds the server program.
	 * @return the program, which has reported its version
	 * @throws RedisNotAvailableException if no server program is found; the message names
	 * the system property
	 */
	public static RedisBinary find() {
		return find(System::getProperty, System::getenv, BundledRedis.forThisPlatform());
	}

	/**
	 * Uses a given server program.
	 * @param path the path of the program
	 * @return the program, which has reported its version
	 * @throws RedisNotAvailableException if the file is not a Redis or Valkey server that
	 * runs here
	 */
	public static RedisBinary at(Path path) {
		return of(path, "file");
	}

	static RedisBinary find(Function<String, @Nullable String> properties,
			Function<String, @Nullable String> environment, BundledRedis bundled) {
		String named = firstText(properties.apply(PROPERTY), environment.apply(ENVIRONMENT));
		if (named != null) {
			return of(Path.of(named), PROPERTY);
		}
		RedisBinary installed = onPath(environment.apply("PATH"));
		return (installed != null) ? installed : of(bundled.extract(), "bundled");
	}

	/**
	 * Returns the location of the server program.
	 * @return the path of an executable file
	 */
	public Path path() {
		return this.path;
	}

	/**
	 * Returns the version that the server program reports.
	 * @return for example {@code 7.0.15}
	 */
	public String version() {
		return this.version;
	}

	/**
	 * Returns where the server program was found.
	 * @return {@code bundled}, {@code PATH}, {@code file}, or the name of the property
	 */
	public String origin() {
		return this.origin;
	}

	/**
	 * Returns name, version and origin of the server program in one line.
	 * @return for example {@code redis-server 7.0.15 (bundled)}
	 */
	public String describe() {
		return this.name + " " + this.version + " (" + this.origin + ")";
	}

	@Override
	public String toString() {
		return describe() + " at " + this.path;
	}

	private static @Nullable RedisBinary onPath(@Nullable String searchPath) {
		if (searchPath == null) {
			return null;
		}
		return Stream.of(searchPath.split(Pattern.quote(File.pathSeparator)))
			.filter((directory) -> !directory.isEmpty())
			.map((directory) -> Path.of(directory, "redis-server"))
			.filter(Files::isExecutable)
			.map((candidate) -> of(candidate, "PATH"))
			.filter((candidate) -> candidate.major() >= OLDEST_MAJOR)
			.findFirst()
			.orElse(null);
	}

	private int major() {
		return Integer.parseInt(this.version.substring(0, this.version.indexOf('.')));
	}

	private static RedisBinary of(Path path, String origin) {
		String answer;
		try {
			answer = reportedVersion(path);
		}
		catch (IOException ex) {
			throw new RedisNotAvailableException("Cannot run " + path + " (" + origin + "). " + advice(), ex);
		}
		Matcher version = VERSION.matcher(answer);
		if (!version.find()) {
			throw new RedisNotAvailableException(
					"Not a Redis server: " + path + " (" + origin + ") prints '" + answer.strip() + "'. " + advice());
		}
		return new RedisBinary(path, version, origin);
	}

	private static String reportedVersion(Path path) throws IOException {
		Process process = new ProcessBuilder(path.toString(), "--version").redirectErrorStream(true).start();
		try {
			if (!process.waitFor(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
				throw new IOException("No answer to --version within " + Await.LIMIT);
			}
			return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("Interrupted", ex);
		}
		finally {
			process.destroyForcibly();
		}
	}

	static String advice() {
		return "Name a redis-server of 7.0 or newer with the system property " + PROPERTY
				+ " or the environment variable " + ENVIRONMENT + ".";
	}

	private static @Nullable String firstText(@Nullable String first, @Nullable String second) {
		return (first != null && !first.isBlank()) ? first : (second != null && !second.isBlank()) ? second : null;
	}

}
