package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Operations on the directories of Redis servers. */
final class Directories {

	private Directories() {
	}

	static Path create(Path directory) {
		try {
			return Files.createDirectories(directory).toAbsolutePath();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static Path createTemporary() {
		try {
			Path directory = Files.createTempDirectory("delayqueue-redis-");
			Watchdog.get().watch(directory);
			return directory;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Deletes a directory with its content; does nothing if the directory does not exist.
	 */
	static void delete(Path directory) {
		if (Files.exists(directory)) {
			try (Stream<Path> paths = Files.walk(directory)) {
				for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
					Files.deleteIfExists(path);
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		Watchdog.get().forget(directory);
	}

	/**
	 * Returns the last lines of a text file; an empty text if the file does not exist.
	 */
	static String tail(Path file, int lines) {
		if (!Files.exists(file)) {
			return "";
		}
		try {
			List<String> all = Files.readAllLines(file);
			return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
		}
		catch (IOException ex) {
			return "(" + file + " cannot be read: " + ex + ")";
		}
	}

}
