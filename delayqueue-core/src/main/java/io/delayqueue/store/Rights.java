package io.delayqueue.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;

/**
 * The rights that the connected user lacks, as Redis reports them.
 *
 * @param names the names of this library's keys
 * @param nowMicros the time of Redis, µs since 1970; 0 if the user may not run TIME
 * @param commands the needed commands that the user may not run
 * @param directory whether the user may use the key {@code queues}, which lists the
 * queues
 * @param hints whether the user may publish and subscribe on the channels of hints
 */
public record Rights(KeySpace names, long nowMicros, Set<String> commands, boolean directory, boolean hints) {

	/**
	 * The commands of an application that only schedules and counts; of a command with
	 * subcommands, the subcommand.
	 */
	public static final List<String> OF_PRODUCERS = List.of("evalsha", "eval", "hdel", "hexists", "hget", "hlen",
			"hmget", "hset", "hsetnx", "time", "xack", "xadd", "xdel", "xinfo|consumers", "xinfo|groups", "xlen",
			"xpending", "xrange", "zadd", "zcard", "zcount", "zlexcount", "zmscore", "zrange", "zrem", "zscore");

	/** The commands of an application with listeners, including its actuator endpoint. */
	public static final List<String> OF_CONSUMERS = Stream
		.concat(OF_PRODUCERS.stream(),
				Stream.of("hgetall", "hkeys", "hrandfield", "hscan", "hstrlen", "xclaim", "xgroup|create",
						"xgroup|delconsumer", "xreadgroup", "xrevrange", "xtrim", "zrank", "zremrangebyrank", "zscan"))
		.toList();

	private static final List<String> OF_HINTS = List.of("publish", "subscribe");

	/**
	 * Reads the rights from Redis.
	 * @param calls the access to Redis
	 * @param partition the partition whose keys are checked
	 * @param needed the commands that are needed
	 * @return the missing rights
	 * @throws StoreException if Redis does not answer, or refuses to run scripts of this
	 * user
	 */
	public static Rights of(RedisCalls calls, Partition partition, List<String> needed) {
		KeySpace names = calls.keySpace();
		// EVALSHA stands for a command on the key, because this user may run it, and it
		// needs all rights on its keys
		String onTheDirectory = "evalsha a 1 " + names.queues();
		List<String> onTheChannel = List.of("publish " + names.hints() + " a", "publish " + names.hints("a") + " a",
				"subscribe " + names.hints() + " " + names.hints("a"));
		Reply reply = calls.run(StoreScript.RIGHTS, partition, needed.stream().map(Rights::aclQuery).toList(),
				onTheDirectory, onTheChannel);
		Set<String> refused = new HashSet<>();
		for (int i = 2; i < reply.size(); i++) {
			refused.add(reply.text(i));
		}
		// Redis would have refused this script to a user without the partition's key
		Set<String> commands = new TreeSet<>(
				needed.stream().filter((command) -> refused.contains(aclQuery(command))).toList());
		return new Rights(names, reply.number(1), commands, !refused.contains(onTheDirectory),
				onTheChannel.stream().noneMatch(refused::contains));
	}

	/**
	 * Returns the words of a command to check with {@code redis.acl_check_cmd}, at least
	 * as many as it needs: Redis searches them for keys, and a server has crashed with
	 * too few.
	 */
	private static String aclQuery(String command) {
		return switch (command) {
			case "eval", "evalsha" -> command + " a 1 @";
			case "xreadgroup" -> command + " GROUP a b STREAMS @ >";
			default -> command.replace('|', ' ') + " @ a b c";
		};
	}

	/**
	 * Whether the user has all required rights.
	 * @return {@code true} even if the user may not send or receive hints
	 */
	public boolean isEnough() {
		return this.commands.isEmpty() && this.directory;
	}

	/**
	 * Describes the missing rights.
	 * @return a sentence without a full stop
	 */
	public String problem() {
		String run = "run " + this.commands + " on keys beginning with '" + this.names.beginning() + "'";
		String use = "use the key '" + this.names.queues() + "'";
		return "The Redis user lacks the right to "
				+ (this.directory ? run : this.commands.isEmpty() ? use : run + ", and to " + use);
	}

	/**
	 * Returns the ACL command that grants only the missing rights.
	 * @return the command
	 */
	public String fix() {
		return grant(this.names, this.commands, !this.directory, false);
	}

	/**
	 * Returns the ACL command that grants the channels of hints.
	 * @param names the names of this library's keys
	 * @return the command
	 */
	public static String grantHints(KeySpace names) {
		return grant(names, OF_HINTS, false, true);
	}

	/**
	 * Returns all required rights as rules of ACL SETUSER. Returns no full command,
	 * because Redis refuses a key pattern after one that already allows all keys.
	 * @param names the names of this library's keys
	 * @param needed the commands that are needed
	 * @return the rules
	 */
	public static String all(KeySpace names, List<String> needed) {
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
			rules.add("&" + names.hints() + "*");
		}
		commands.forEach((command) -> rules.add("+" + command));
		return String.join(" ", rules);
	}

}
