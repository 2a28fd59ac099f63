package io.delayqueue.store;

import java.util.ArrayList;
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
 * @param commands the commands that it may not run
 * @param directory whether it may use the key that lists the queues
 * @param hints whether it may publish and listen on the channel of hints
 */
record Rights(KeySpace names, long nowMicros, Set<String> commands, boolean directory, boolean hints) {

	/**
	 * What an application runs that only schedules, and counts what its queues hold; for
	 * a container its subcommand.
	 */
	static final List<String> OF_PRODUCERS = List.of("evalsha", "eval", "hdel", "hexists", "hget", "hlen", "hmget",
			"hset", "hsetnx", "time", "xack", "xdel", "xinfo|consumers", "xinfo|groups", "xlen", "xpending", "xrange",
			"zadd", "zcard", "zcount", "zlexcount", "zmscore", "zrange", "zrem", "zscore");

	/** What an application runs that has listeners, its endpoint included. */
	static final List<String> OF_CONSUMERS = Stream
		.concat(OF_PRODUCERS.stream(), Stream.of("hgetall", "hkeys", "hrandfield", "hscan", "hstrlen", "xadd", "xclaim",
				"xgroup|create", "xgroup|delconsumer", "xreadgroup", "zrank", "zremrangebyrank", "zscan"))
		.toList();

	private static final List<String> OF_HINTS = List.of("publish", "subscribe");

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
		// Which it may run, or it could not ask, and which uses a key in every way
		String onTheDirectory = "evalsha a 1 " + names.queues();
		List<String> onTheChannel = List.of("publish " + names.hints() + " a", "subscribe " + names.hints());
		Reply reply = calls.run(StoreScript.RIGHTS, partition,
				Stream.of(needed.stream().map(Rights::question), Stream.of(onTheDirectory), onTheChannel.stream())
					.flatMap((questions) -> questions)
					.map(Reply::bytes)
					.toArray(byte[][]::new));
		Set<String> refused = new HashSet<>();
		for (int i = 1; i < reply.size(); i++) {
			refused.add(reply.text(i));
		}
		// Of the partition's key it has the right, or Redis would not have run the script
		Set<String> commands = new TreeSet<>(
				needed.stream().filter((command) -> refused.contains(question(command))).toList());
		return new Rights(names, reply.number(0), commands, !refused.contains(onTheDirectory),
				onTheChannel.stream().noneMatch(refused::contains));
	}

	/**
	 * With as many words as the command has at least: Redis looks for keys among them,
	 * and a server has been seen to crash where there were too few.
	 */
	private static String question(String command) {
		return switch (command) {
			case "eval", "evalsha" -> command + " a 1 @";
			case "xreadgroup" -> command + " GROUP a b STREAMS @ >";
			default -> command.replace('|', ' ') + " @ a b c";
		};
	}

	/** Whether nothing is missing that cannot be done without. */
	boolean isEnough() {
		return this.commands.isEmpty() && this.directory;
	}

	/** What is missing, without a full stop. */
	String problem() {
		String run = "run " + this.commands + " on keys beginning with '" + this.names.beginning() + "'";
		String use = "use the key '" + this.names.queues() + "'";
		return "The Redis user lacks the right to "
				+ (this.directory ? run : this.commands.isEmpty() ? use : run + ", and to " + use);
	}

	/** What grants what is missing, and no more; without a full stop. */
	String fix() {
		return grant(this.names, this.commands, !this.directory, false);
	}

	/** What grants the channel of hints. */
	static String grantHints(KeySpace names) {
		return grant(names, OF_HINTS, false, true);
	}

	/**
	 * All that is needed, as the rules of ACL SETUSER. Redis refuses patterns after one
	 * that allows all already, so this is no command.
	 */
	static String all(KeySpace names, List<String> needed) {
		Collection<String> commands = new TreeSet<>(needed);
		commands.addAll(OF_HINTS);
		return rules(names, commands, true, true);
	}

	private static String grant(KeySpace names, Collection<String> commands, boolean keys, boolean channel) {
		return "ACL SETUSER <user> " + rules(names, commands, keys, channel);
	}

	private static String rules(KeySpace names, Collection<String> commands, boolean keys, boolean channel) {
		List<String> rules = new ArrayList<>();
		if (keys) {
			rules.add("~" + names.beginning() + "*");
		}
		if (channel) {
			rules.add("&" + names.hints());
		}
		commands.forEach((command) -> rules.add("+" + command));
		return String.join(" ", rules);
	}

}
