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
import org.jspecify.annotations.Nullable;

/**
 * The rights in Redis that the connected user lacks, as Redis reports them with
 * {@code redis.acl_check_cmd}, see
 * https://redis.io/docs/latest/develop/programmability/lua-api/. A right about which the
 * server gives no answer is not known, and does not count as missing.
 *
 * @param names the names of this library's keys
 * @param nowMicros the time of Redis, µs since 1970; 0 if the user may not run TIME
 * @param commands the commands that the application needs and the user may not run
 * @param directory whether the user may use the key {@code queues}, which lists the
 * queues
 * @param hints whether the user may publish and subscribe on the channels of hints
 * @param unknown the error of the server if it does not tell whether the user has some of
 * the rights, {@code null} if all rights are known
 */
public record Rights(KeySpace names, long nowMicros, Set<String> commands, boolean directory, boolean hints,
		@Nullable String unknown) {

	/**
	 * A call of each Redis command that an application needs if it only schedules and
	 * counts messages, with the fewest words that the command accepts: the server refuses
	 * to check a call with too few or too many words. {@code @} stands for a key. Of a
	 * command with subcommands, the list contains the subcommands that are needed.
	 */
	static final List<String> CALLS_OF_PRODUCERS = List.of("evalsha a 1 @", "eval a 1 @", "exists @", "hdel @ a",
			"hexists @ a", "hget @ a", "hlen @", "hmget @ a", "hset @ a b", "hsetnx @ a b", "time", "xack @ a b",
			"xadd @ * a b", "xdel @ a", "xinfo|consumers @ a", "xinfo|groups @", "xlen @", "xpending @ a",
			"xrange @ - +", "zadd @ 1 a", "zcard @", "zcount @ 1 2", "zlexcount @ - +", "zmscore @ a", "zrange @ 0 1",
			"zrem @ a", "zscore @ a");

	/**
	 * A call of each Redis command that an application with listeners needs, also for its
	 * actuator endpoint.
	 */
	static final List<String> CALLS_OF_CONSUMERS = Stream.concat(CALLS_OF_PRODUCERS.stream(),
			Stream.of("del @", "hgetall @", "hkeys @", "hrandfield @", "hscan @ 0", "hstrlen @ a", "xclaim @ a b 0 0-1",
					"xgroup|create @ a $", "xgroup|delconsumer @ a b", "xreadgroup GROUP a b STREAMS @ >",
					"xrevrange @ + -", "xtrim @ MAXLEN 1", "zrank @ a", "zremrangebyrank @ 0 1", "zscan @ 0"))
		.toList();

	/** The commands of an application that only schedules and counts messages. */
	public static final List<String> OF_PRODUCERS = names(CALLS_OF_PRODUCERS);

	/** The commands of an application with listeners. */
	public static final List<String> OF_CONSUMERS = names(CALLS_OF_CONSUMERS);

	private static final List<String> OF_HINTS = List.of("publish", "subscribe");

	/**
	 * Asks Redis which rights the connected user lacks.
	 * @param calls the access to Redis
	 * @param partition the partition whose keys are checked
	 * @param consumes whether the application has listeners
	 * @return the missing rights
	 * @throws StoreException if Redis does not answer, or if the user may not run scripts
	 */
	public static Rights of(RedisCalls calls, Partition partition, boolean consumes) {
		List<String> needed = consumes ? CALLS_OF_CONSUMERS : CALLS_OF_PRODUCERS;
		KeySpace names = calls.keySpace();
		// Check the rights on the key with EVALSHA: the user may run EVALSHA, and EVALSHA
		// needs all rights on its keys
		String onTheDirectory = "evalsha a 1 " + names.queues();
		List<String> onTheChannel = List.of("publish " + names.hints() + " a", "publish " + names.hints("a") + " a",
				"subscribe " + names.hints() + " " + names.hints("a"));
		Reply reply = calls.run(StoreScript.RIGHTS, partition, needed, onTheDirectory, onTheChannel);
		Set<String> refused = new HashSet<>();
		for (int i = 3; i < reply.size(); i++) {
			refused.add(reply.text(i));
		}
		// The user has the partition's keys, because Redis would have refused this script
		// otherwise
		Set<String> commands = new TreeSet<>(names(needed.stream().filter(refused::contains).toList()));
		String unknown = reply.text(2);
		return new Rights(names, reply.number(1), commands, !refused.contains(onTheDirectory),
				onTheChannel.stream().noneMatch(refused::contains), unknown.isEmpty() ? null : unknown);
	}

	private static List<String> names(List<String> calls) {
		return calls.stream().map((call) -> call.split(" ", 2)[0]).toList();
	}

	/**
	 * Whether the user has all rights that the application needs.
	 * @return {@code true} if the user has these rights; the rights to send and receive
	 * hints are not among them, because the application works without hints
	 */
	public boolean isEnough() {
		return this.commands.isEmpty() && this.directory;
	}

	/**
	 * Describes the rights that the user lacks.
	 * @return a sentence without a full stop
	 */
	public String problem() {
		String run = "run " + this.commands + " on keys beginning with '" + this.names.beginning() + "'";
		String use = "use the key '" + this.names.queues() + "'";
		return "The Redis user lacks the right to "
				+ (this.directory ? run : this.commands.isEmpty() ? use : run + ", and to " + use);
	}

	/**
	 * {@return the ACL command that grants the rights that the user lacks}
	 */
	public String fix() {
		return grant(this.names, this.commands, !this.directory, false);
	}

	/**
	 * Returns the ACL command that allows the channels of hints.
	 * @param names the names of this library's keys
	 * @return the command
	 */
	public static String grantHints(KeySpace names) {
		return grant(names, OF_HINTS, false, true);
	}

	/**
	 * Returns the ACL command that allows the keys of this library.
	 * @param names the names of this library's keys
	 * @return the command
	 */
	public static String grantKeys(KeySpace names) {
		return grant(names, List.of(), true, false);
	}

	/**
	 * Returns all rights that an application needs, as rules of ACL SETUSER. Does not
	 * return a full command, because Redis refuses a key pattern for a user that already
	 * has all keys.
	 * @param names the names of this library's keys
	 * @param needed the commands that the application needs
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
