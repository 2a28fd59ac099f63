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
 * What a server must be and how it must be set, so that messages are neither refused nor
 * lost. Nothing is concluded from what a server does not tell.
 */
final class ServerRules {

	/** The oldest servers whose scripts have flags and whose XPENDING knows IDLE. */
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
					"Update it, or give delayed messages another server"))
				: List.of();
	}

	/** Whether the server throws keys away. */
	static List<Finding> eviction(Server server) {
		if (!server.evictsAnyKey()) {
			return List.of();
		}
		String policy = name(server) + " has the maxmemory-policy '" + server.evictionPolicy() + "'";
		String fix = "Set maxmemory-policy to 'noeviction', or to one of 'volatile-*' if others need it";
		if (server.maxMemoryBytes() == 0) {
			return List.of(Finding.warning(
					policy + " and no maxmemory: as soon as one is set, it throws whole queues away when it is full",
					fix));
		}
		String limit = (server.maxMemoryBytes() > 0) ? " of " + server.maxMemoryBytes() + " bytes" : "";
		return List
			.of(Finding.danger(policy + ": it throws whole queues away when its memory" + limit + " is full", fix));
	}

	/**
	 * What is lost when the server ends.
	 * @param server the server
	 * @param save when it writes a copy of its data, empty for never, {@code null} if it
	 * does not tell
	 * @param now the time
	 * @return the findings
	 */
	static List<Finding> persistence(Server server, @Nullable String save, Instant now) {
		if (server.appendOnly() == null || server.appendOnly()) {
			return List.of();
		}
		if (save != null && save.isBlank()) {
			return List.of(Finding
				.warning(name(server) + " writes nothing to disk: when it ends, all messages are lost", APPEND_ONLY));
		}
		List<String> parts = new ArrayList<>();
		parts.add(name(server) + " has no append-only file: when it dies, what was accepted since its last copy");
		if (server.lastSave() != null) {
			long age = Math.max(0, Duration.between(server.lastSave(), now).toSeconds());
			parts.add(" (" + age + " s ago)");
		}
		parts.add(" is lost");
		return List.of(Finding.warning(String.join("", parts), APPEND_ONLY));
	}

	private static String name(Server server) {
		return (server.node() != null) ? "The server at " + server.node() : "The server";
	}

}
