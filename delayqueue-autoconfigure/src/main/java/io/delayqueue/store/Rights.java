package io.delayqueue.store;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What the connected user may not do, as Redis itself tells.
 *
 * @param names the names of our keys
 * @param nowMicros the time of Redis, 0 if it may not ask for it
 * @param commands the commands that it may not run at all
 * @param keys the keys that it may not use
 * @param hints whether it may publish and listen on the channel of hints
 */
record Rights(KeySpace names, long nowMicros, Set<String> commands, Set<String> keys, boolean hints) {

	/** What an application runs that only schedules; for a container its subcommand. */
	static final List<String> OF_PRODUCERS = List.of("evalsha", "eval", "hdel", "hexists", "hget", "hlen", "hmget",
			"hset", "hsetnx", "time", "xack", "xdel", "xinfo|consumers", "xlen", "xpending", "xrange", "zadd",
			"zmscore", "zrange", "zrem", "zscore");

	/** What an application runs that has listeners. */
	static final List<String> OF_CONSUMERS = Stream.concat(OF_PRODUCERS.stream(),
			Stream.of("hkeys", "hrandfield", "hscan", "hstrlen", "xadd", "xclaim", "xgroup|create",
					"xgroup|delconsumer", "xinfo|groups", "xreadgroup", "zcard", "zcount", "zremrangebyrank", "zscan"))
		.toList();

	/**
	 * Asks Redis.
	 * @param calls the way to Redis
	 * @param partition whose keys are asked about
	 * @param needed the commands that are needed
	 * @return what is missing
	 * @throws StoreException if Redis does not answer, or runs no script of this user
	 */
	static Rights of(RedisCalls calls, Partition partition, List<String> needed) {
		KeySpace names = calls.keySpace();
		List<String> onTheDirectory = List.of("hget " + names.queues() + " a", "hset " + names.queues() + " a b");
		List<String> onTheChannel = List.of("publish " + names.hints() + " a", "subscribe " + names.hints());
		Reply reply = calls.run(StoreScript.RIGHTS, partition,
				Stream
					.of(needed.stream().map(Rights::anywhere), needed.stream().map(Rights::onTheKey),
							onTheDirectory.stream(), onTheChannel.stream())
					.flatMap((questions) -> questions)
					.map(Reply::bytes)
					.toArray(byte[][]::new));
		Set<String> refused = new HashSet<>();
		for (int i = 1; i < reply.size(); i++) {
			refused.add(reply.text(i));
		}
		Set<String> commands = new TreeSet<>();
		Set<String> keys = new TreeSet<>();
		for (String command : needed) {
			if (refused.contains(anywhere(command))) {
				commands.add(command);
			}
			else if (refused.contains(onTheKey(command))) {
				keys.add(names.name(partition, Key.MESSAGES));
			}
		}
		for (String command : onTheDirectory) {
			if (refused.contains(command) && !commands.contains(command.substring(0, command.indexOf(' ')))) {
				keys.add(names.queues());
			}
		}
		return new Rights(names, reply.number(0), commands, keys, onTheChannel.stream().noneMatch(refused::contains));
	}

	private static String anywhere(String command) {
		return command.replace('|', ' ');
	}

	private static String onTheKey(String command) {
		return command.equals("xreadgroup") ? "xreadgroup GROUP a b STREAMS @ >" : anywhere(command) + " @ a b c";
	}

	/** Whether nothing is missing that cannot be done without. */
	boolean isEnough() {
		return this.commands.isEmpty() && this.keys.isEmpty();
	}

	/** What is missing, without a full stop. */
	String problem() {
		String run = "run " + this.commands + " on keys beginning with '" + this.names.beginning() + "'";
		String use = "use keys such as " + this.keys;
		return "The Redis user lacks the right to "
				+ (this.keys.isEmpty() ? run : this.commands.isEmpty() ? use : run + ", and to " + use);
	}

	/** What grants what is missing, and no more; without a full stop. */
	String fix() {
		return grant(this.names, this.commands, !this.keys.isEmpty(), false);
	}

	/** What grants all that is needed, and no more; without a full stop. */
	static String grantAll(KeySpace names, List<String> needed) {
		return grant(names, new TreeSet<>(needed), true, true);
	}

	/** What grants the channel of hints. */
	static String grantHints(KeySpace names) {
		return grant(names, List.of("publish", "subscribe"), false, true);
	}

	private static String grant(KeySpace names, Collection<String> commands, boolean keys, boolean channel) {
		StringBuilder grant = new StringBuilder("ACL SETUSER <user>");
		if (keys) {
			grant.append(" ~").append(names.beginning()).append('*');
		}
		if (channel) {
			grant.append(" &").append(names.hints());
		}
		commands.forEach((command) -> grant.append(" +").append(command));
		return grant.toString();
	}

}
