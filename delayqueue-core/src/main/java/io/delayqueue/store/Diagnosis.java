package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.DataType;

/**
 * Finds the cause of a Redis error that a repeat of the call would not resolve, and
 * describes the cause: a key that another program uses, a missing right, another
 * partition count, or another version of Redis or of this library. If the search for the
 * cause fails too, returns the error text of Redis.
 */
final class Diagnosis {

	private static final Log logger = LogFactory.getLog(Diagnosis.class);

	private Diagnosis() {
	}

	/**
	 * Describes the cause of a Redis error.
	 * @param calls the access to Redis
	 * @param what a name for the call that Redis refused
	 * @param keys the keys of the call
	 * @param partition the partition of the keys
	 * @param failure the exception with the error of Redis
	 * @return a sentence on what is wrong and what to change
	 */
	static String of(RedisCalls calls, String what, List<Key> keys, Partition partition, StoreException failure) {
		String error = String.valueOf(failure.getMessage());
		if ("NOGROUP".equals(failure.code())) {
			// The class Leases handles the error NOGROUP, so this error needs no
			// description
			return error;
		}
		try {
			if (error.contains("unexpected symbol near '#'")) {
				return "Redis 7.0 or Valkey 7.2 is the oldest server that can be used, but this one is "
						+ version(calls) + " (" + error + ")";
			}
			if (failure.isLayoutForeign()) {
				return "The keys of partition " + partition + " have another layout (" + error
						+ "): another version of this library wrote them; use that version, or another key prefix";
			}
			if ("PARTITIONS".equals(failure.code())) {
				return "Queue '" + partition.queue()
						+ "' has another partition count in Redis than in this process (at partition " + partition
						+ ": " + error + "): set delayqueue.queues." + partition.queue()
						+ ".partitions to the same value in all processes, and restart them";
			}
			List<String> foreign = foreignKeys(calls, keys, partition);
			if (!foreign.isEmpty()) {
				return String.join("; ", foreign) + ". Another program uses the key: move it away, or set another"
						+ " delayqueue.key-prefix";
			}
			Rights rights = Rights.of(calls, partition, true);
			if (!rights.isEnough()) {
				return lacks(rights);
			}
		}
		catch (RuntimeException ignored) {
			// The search for the cause has failed: the error text of Redis is returned
		}
		return "Redis refused " + what + " of partition " + partition + ": " + error;
	}

	private static List<String> foreignKeys(RedisCalls calls, List<Key> keys, Partition partition) {
		List<String> foreign = new ArrayList<>();
		for (Key key : keys) {
			DataType type = calls.command((connection) -> connection.keyCommands().type(calls.key(partition, key)));
			if (type != null && type != DataType.NONE && !type.code().equals(key.type())) {
				foreign.add("Key '" + calls.keySpace().name(partition, key) + "' holds a " + type.code()
						+ " but must be a " + key.type());
			}
		}
		return foreign;
	}

	/**
	 * Checks that the connected Redis user has the rights of a consumer. Rights that the
	 * server does not tell count as present: the calls that need them report a missing
	 * right.
	 * @throws StoreException that names all missing rights
	 */
	static void checkRights(RedisCalls calls, Partition partition) {
		Rights rights;
		try {
			rights = Rights.of(calls, partition, true);
		}
		catch (RuntimeException failure) {
			logger.debug("It is not known whether the Redis user has all rights on partition " + partition, failure);
			return;
		}
		if (!rights.isEnough()) {
			throw new StoreException(FailureKind.REFUSED, lacks(rights), null);
		}
	}

	private static String lacks(Rights rights) {
		return rights.problem() + "; grant it with " + rights.fix();
	}

	private static String version(RedisCalls calls) {
		Properties server = calls.command((connection) -> connection.serverCommands().info("server"));
		return (server != null) ? server.getProperty("redis_version", "unknown") : "unknown";
	}

}
