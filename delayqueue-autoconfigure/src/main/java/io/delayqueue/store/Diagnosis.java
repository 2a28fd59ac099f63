package io.delayqueue.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.Set;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.DataType;

/**
 * Finds out what Redis means by an error that repeating will not mend, and says it with
 * the key, the right or the version. Asked only after such an error; asking may fail too,
 * and then Redis's own words stand.
 */
final class Diagnosis {

	/** Errors that a caller expects and handles: there is nothing to mend. */
	private static final Set<String> EXPECTED = Set.of("NOGROUP");

	private Diagnosis() {
	}

	/**
	 * Finds out what is wrong.
	 * @param calls the way to Redis
	 * @param what what was refused
	 * @param keys the keys that it is about
	 * @param partition their partition
	 * @param failure how it was refused
	 * @return what to mend
	 */
	static String of(RedisCalls calls, String what, List<Key> keys, Partition partition, DataAccessException failure) {
		String said = said(failure);
		String code = FailureKind.code(failure);
		if (code != null && EXPECTED.contains(code)) {
			return said;
		}
		try {
			if (said.contains("unexpected symbol near '#'")) {
				return "Redis 7.0 or Valkey 7.2 is the oldest server that can be used, but this one is "
						+ version(calls) + " (" + said + ")";
			}
			if (said.startsWith(Layouts.CODE)) {
				return "The keys of partition " + partition + " have another layout (" + said
						+ "): another version of this library wrote them; use that version, or another key prefix";
			}
			if (said.startsWith("PARTITIONS")) {
				return "Another process has given the queue of partition " + partition
						+ " another partition count than this one has (" + said + "): set delayqueue.queues."
						+ partition.queue() + ".partitions alike in all processes, and start them anew";
			}
			List<String> foreign = foreignKeys(calls, keys, partition);
			if (!foreign.isEmpty()) {
				return String.join("; ", foreign) + ". Another program uses the key: move it away, or set another"
						+ " delayqueue.key-prefix";
			}
			Rights rights = Rights.of(calls, partition, Rights.OF_CONSUMERS);
			if (!rights.isEnough()) {
				return lacks(rights);
			}
		}
		catch (StoreException | DataAccessException ignored) {
			// Redis's own words are all there is
		}
		return "Redis refused " + what + " of partition " + partition + ": " + said;
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
	 * Checks the user's rights.
	 * @throws StoreException naming all that is missing
	 */
	static void checkRights(RedisCalls calls, Partition partition) {
		Rights rights = Rights.of(calls, partition, Rights.OF_CONSUMERS);
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

	/**
	 * What Redis or the driver has said. Some drivers wrap it in words that say nothing.
	 * @param failure the failure
	 * @return Redis's own words if it has answered, else those of the driver and of the
	 * root cause
	 */
	static String said(Throwable failure) {
		List<Throwable> causes = FailureKind.causes(failure);
		Collections.reverse(causes);
		for (Throwable cause : causes) {
			if (FailureKind.code(cause) != null) {
				return String.valueOf(cause.getMessage());
			}
		}
		String words = String.valueOf(causes.get(0).getMessage());
		String wrapped = String.valueOf(failure.getMessage());
		return wrapped.contains(words) ? wrapped : wrapped + ": " + words;
	}

}
