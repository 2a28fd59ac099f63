package io.delayqueue.test.fault;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.delayqueue.test.redis.RespClient;
import org.jspecify.annotations.Nullable;

/**
 * Finds the content of Redis that nothing explains: content of a key of a partition must
 * be about a message with a record, or have a time that has not passed; a partition of an
 * epoch that has ended has only the key {@code control}; and there are no other keys.
 */
public final class LeftKeys {

	/** The time after its end for which content may stay. */
	private static final long SLACK_MILLIS = TimeUnit.SECONDS.toMillis(10);

	private static final List<String> OF_MEMBERS = List.of("members", "memberships", "consumptions", "declarations",
			"epochs");

	private static final List<String> OF_THE_ENDED = List.of("layout", "partitions", "closed", "ended",
			// A process that has not read the end of the epoch yet may store them again
			"history", "visibility-timeout", "visibility-timeout-seen");

	private final RespClient redis;

	private final String prefix;

	private final Set<String> partitions;

	private final double untilMillis;

	private final List<String> left = new ArrayList<>();

	private LeftKeys(RespClient redis, String prefix, Collection<?> partitions) {
		this.redis = redis;
		this.prefix = prefix;
		this.partitions = partitions.stream().map(String::valueOf).collect(Collectors.toSet());
		this.untilMillis = 1000.0 * Long.parseLong(texts("TIME").get(0)) - SLACK_MILLIS;
	}

	/**
	 * Reads all keys of a server.
	 * @param redis the connection to the server
	 * @param prefix the prefix of the keys
	 * @param partitions the partitions of all epochs of all queues, as {@code queue:n} or
	 * {@code queue:epoch:n}
	 * @return the keys with content that nothing explains, with their sizes in bytes, and
	 * this content
	 */
	public static List<String> of(RespClient redis, String prefix, Collection<?> partitions) {
		LeftKeys keys = new LeftKeys(redis, prefix, partitions);
		new TreeSet<>(keys.texts("KEYS", prefix + ":*")).forEach(keys::check);
		return keys.left;
	}

	private void check(String key) {
		String name = key.substring(this.prefix.length() + 1);
		int end = name.indexOf("}:");
		String home = (end > 0) ? name.substring(1, end) : "";
		String of = name.substring(end + 2);
		List<String> unexplained;
		if (home.equals("members") ? OF_MEMBERS.contains(of) : home.isEmpty() && name.equals("queues")) {
			unexplained = List.of();
		}
		else if (this.partitions.contains(home)) {
			unexplained = unexplained(key.substring(0, key.length() - of.length()), of);
		}
		else if (of.equals("control")) {
			unexplained = texts("HKEYS", key).stream().filter((field) -> !OF_THE_ENDED.contains(field)).toList();
		}
		else {
			// The limits of a queue are in the first partition of its first epoch
			boolean isOfQueue = home.endsWith(":0") && (of.equals("budget") || of.equals("permits"));
			unexplained = isOfQueue ? List.of() : List.of("no partition of the queue");
		}
		if (!unexplained.isEmpty()) {
			this.left.add(key + " (" + this.redis.text("MEMORY", "USAGE", key) + " bytes): " + unexplained.size()
					+ " of " + unexplained.stream().limit(3).toList());
		}
	}

	private List<String> unexplained(String home, String of) {
		String key = home + of;
		return switch (of) {
			case "messages" -> without(texts("HKEYS", key), placed(home)::contains);
			case "scheduled", "dead", "expiries" -> without(texts("ZRANGE", key, "0", "-1"), stored(home)::contains);
			case "entries", "failures", "grouped" -> without(texts("HKEYS", key), stored(home)::contains);
			case "groups", "parked", "active" -> {
				Set<String> stored = stored(home);
				yield without(texts("ZRANGE", key, "0", "-1"),
						(member) -> stored.contains(member.substring(member.lastIndexOf('\0') + 1))
								|| stored.contains(member.substring(1)));
			}
			case "done", "throttled" -> texts("ZRANGE", key, "-inf", "(" + this.untilMillis, "BYSCORE");
			case "rates" -> texts("ZRANGE", key, "-inf", "(" + 1000 * this.untilMillis, "BYSCORE");
			case "holds" ->
				without(texts("HVALS", key), (hold) -> Long.parseLong(hold.substring(0, 16)) >= this.untilMillis);
			case "ready" -> entries(home);
			case "history", "ends" -> this.redis.text("HGET", home + "control", "history").isEmpty()
					? List.of("no history is kept") : List.of();
			case "recurring" ->
				without(texts("HKEYS", key), texts("ZRANGE", home + "recurrences", "0", "-1")::contains);
			case "recurrences" ->
				without(texts("ZRANGE", key, "0", "-1"), texts("HKEYS", home + "recurring")::contains);
			case "control", "budget", "permits" -> List.of();
			default -> List.of("no key of the library");
		};
	}

	/** The stream entries that no message has, and those that are pending and gone. */
	private List<String> entries(String home) {
		Set<String> current = Set.copyOf(texts("HVALS", home + "entries"));
		List<String> all = new ArrayList<>(list("XRANGE", home + "ready", "-", "+").stream()
			.map((entry) -> String.valueOf(((List<?>) entry).get(0)))
			.toList());
		if (!list("XINFO", "GROUPS", home + "ready").isEmpty()) {
			list("XPENDING", home + "ready", "consumers", "-", "+", "1000")
				.forEach((lease) -> all.add(String.valueOf(((List<?>) lease).get(0))));
		}
		return without(all, current::contains);
	}

	private Set<String> stored(String home) {
		return Set.copyOf(texts("HKEYS", home + "messages"));
	}

	/** The ids of all messages that are in a location. */
	private Set<String> placed(String home) {
		Set<String> placed = new TreeSet<>(texts("ZRANGE", home + "scheduled", "0", "-1"));
		placed.addAll(texts("ZRANGE", home + "dead", "0", "-1"));
		placed.addAll(texts("HKEYS", home + "entries"));
		texts("ZRANGE", home + "parked", "0", "-1")
			.forEach((member) -> placed.add(member.substring(member.lastIndexOf('\0') + 1)));
		return placed;
	}

	private static List<String> without(List<String> all, Predicate<String> explained) {
		return all.stream().filter(explained.negate()).toList();
	}

	private List<?> list(String... command) {
		@Nullable Object reply = this.redis.call(command);
		return (List<?>) Objects.requireNonNull(reply);
	}

	private List<String> texts(String... command) {
		return list(command).stream().map(String::valueOf).toList();
	}

}
