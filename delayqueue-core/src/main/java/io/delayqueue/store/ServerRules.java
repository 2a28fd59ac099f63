package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.delayqueue.store.ServerInfo.Server;
import org.jspecify.annotations.Nullable;

/**
 * The version and settings that a server needs so that messages are neither refused nor
 * lost. An unknown value causes no finding.
 */
final class ServerRules {

	/** The oldest servers with script flags and XPENDING IDLE. */
	static final String OLDEST = "Redis 7.0 or Valkey 7.2 is the oldest server that can be used";

	private static final Pattern VERSION = Pattern.compile("(\\d{1,6})(?:\\.(\\d{1,6}))?.*");

	private static final String APPEND_ONLY = "Set appendonly to 'yes', with appendfsync 'everysec' or 'always'";

	private ServerRules() {
	}

	/** Whether the server is too old. */
	static List<Finding> version(Server server) {
		int[] oldest = server.product().equals("valkey") ? new int[] { 7, 2 } : new int[] { 7, 0 };
		Matcher version = VERSION.matcher(server.version());
		if (!version.matches()) {
			return List.of();
		}
		int major = Integer.parseInt(version.group(1));
		int minor = (version.group(2) != null) ? Integer.parseInt(version.group(2)) : 0;
		boolean old = major < oldest[0] || (major == oldest[0] && minor < oldest[1]);
		return old ? List
			.of(Finding.fault(OLDEST + ", but " + name(server) + " is " + server.product() + " " + server.version(),
					"Update it, or use another server for delayed messages"))
				: List.of();
	}

	/** Whether the server evicts keys. */
	static List<Finding> eviction(Server server) {
		if (!server.evictsAnyKey()) {
			return List.of();
		}
		String policy = name(server) + " has the maxmemory-policy '" + server.evictionPolicy() + "'";
		String fix = "Set maxmemory-policy to 'noeviction', or to one of 'volatile-*' if other applications need eviction";
		if (server.maxMemoryBytes() == 0) {
			return List.of(Finding.warning(
					policy + " and no maxmemory: as soon as one is set, it evicts whole queues when its memory is full",
					fix));
		}
		String limit = (server.maxMemoryBytes() > 0) ? " of " + server.maxMemoryBytes() + " bytes" : "";
		return List.of(Finding.danger(policy + ": it evicts whole queues when its memory" + limit + " is full", fix));
	}

	/**
	 * Which messages are lost when the server stops.
	 * @param server the server
	 * @param save the setting for copies of its data, empty for none, {@code null} if
	 * unknown
	 * @param now the time
	 * @return the findings
	 */
	static List<Finding> persistence(Server server, @Nullable String save, Instant now) {
		if (server.appendOnly() == null || server.appendOnly()) {
			return List.of();
		}
		if (save != null && save.isBlank()) {
			return List.of(Finding
				.warning(name(server) + " writes nothing to disk: when it stops, all messages are lost", APPEND_ONLY));
		}
		List<String> parts = new ArrayList<>();
		parts.add(name(server) + " has no append-only file: when it crashes, all changes since its last copy");
		if (server.lastSave() != null) {
			long age = Math.max(0, Duration.between(server.lastSave(), now).toSeconds());
			parts.add(" (" + age + " s ago)");
		}
		parts.add(" are lost");
		return List.of(Finding.warning(String.join("", parts), APPEND_ONLY));
	}

	private static String name(Server server) {
		return (server.node() != null) ? "The server at " + server.node() : "The server";
	}

}
