package io.delayqueue.test.redis;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The configuration of a server, as set in its builder.
 *
 * @param binary the server program
 * @param sentinel whether the program runs as a sentinel
 * @param detached whether the server outlives this JVM
 * @param appendOnly the persistence of the server
 * @param directory the data directory, or null for a temporary directory
 * @param port the port, or 0 for a free port
 * @param settings further lines of the configuration, which override the lines of this
 * class
 */
record ServerSpec(RedisBinary binary, boolean sentinel, boolean detached, AppendOnly appendOnly,
		@Nullable Path directory, int port, List<Setting> settings) {

	ServerSpec {
		if (port < 0 || port > 65_535) {
			throw new IllegalArgumentException("port must be between 0 and 65535, but is " + port);
		}
		settings = List.copyOf(settings);
	}

	List<String> configuration(Path directory, int port) {
		List<Setting> lines = new ArrayList<>();
		lines.add(Setting.of("bind", "127.0.0.1"));
		lines.add(Setting.of("port", port));
		lines.add(Setting.of("dir", directory));
		lines.add(Setting.of("logfile", logFile(directory)));
		if (this.detached) {
			lines.add(Setting.of("daemonize", "yes"));
			lines.add(Setting.of("pidfile", pidFile(directory)));
		}
		if (!this.sentinel) {
			lines.add(Setting.of("save", ""));
			lines.addAll(this.appendOnly.settings());
		}
		lines.addAll(this.settings);
		return lines.stream().map(Setting::line).toList();
	}

	List<String> command(Path directory) {
		List<String> command = new ArrayList<>();
		command.add(this.binary.path().toString());
		command.add(configurationFile(directory).toString());
		if (this.sentinel) {
			command.add("--sentinel");
		}
		return command;
	}

	@Nullable String password() {
		return this.settings.stream()
			.filter((setting) -> setting.name().equals("requirepass"))
			.reduce((first, second) -> second)
			.map((setting) -> setting.values().get(0))
			.orElse(null);
	}

	static Path configurationFile(Path directory) {
		return directory.resolve("redis.conf");
	}

	static Path logFile(Path directory) {
		return directory.resolve("redis.log");
	}

	static Path pidFile(Path directory) {
		return directory.resolve("redis.pid");
	}

}
