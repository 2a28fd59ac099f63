package io.delayqueue.journeys;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.delayqueue.test.redis.RedisBinary;

/**
 * The server programs that {@code .ci/servers} has unpacked into {@code target/servers}.
 */
final class UnpackedServers {

	private static final Path HOME = Path.of("..", "target", "servers");

	private UnpackedServers() {
	}

	static List<RedisBinary> all() throws IOException {
		if (!Files.isDirectory(HOME)) {
			return List.of();
		}
		try (Stream<Path> files = Files.find(HOME, 2,
				(path, file) -> file.isRegularFile() && path.toString().endsWith("-server"))) {
			return files.sorted().map((path) -> RedisBinary.at(path.toAbsolutePath().normalize())).toList();
		}
	}

	/** The servers that can move slots of a cluster as a whole: Redis 8.4 and newer. */
	static List<RedisBinary> thatMigrateSlots() throws IOException {
		return all().stream()
			.filter((server) -> server.describe().startsWith("redis")
					&& !server.version().matches("[1-7]\\..*|8\\.[0-3]\\..*"))
			.toList();
	}

}
