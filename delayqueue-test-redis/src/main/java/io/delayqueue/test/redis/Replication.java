package io.delayqueue.test.redis;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * What cluster and sentinel share about masters and replicas.
 */
final class Replication {

	/**
	 * A replica need not wait 5 s for others that might want the same snapshot.
	 */
	static final List<Setting> SETTINGS = List.of(Setting.of("repl-diskless-sync-delay", 0));

	private Replication() {
	}

	/**
	 * Waits until a replica has the data of its master and follows it.
	 */
	static void awaitInSync(RedisServer replica, Duration limit) {
		Await.until(limit, () -> replica + " did not get in sync. Its log:\n" + replica.logTail() + "\nNot in sync",
				() -> says(replica,
						(info) -> "slave".equals(info.get("role")) && "up".equals(info.get("master_link_status"))));
	}

	/**
	 * What a server says of itself. One that gets another role closes the connections
	 * that it has, this one too: then it says nothing yet.
	 */
	static boolean says(RedisServer server, Predicate<ServerInfo> expected) {
		try {
			return expected.test(server.info());
		}
		catch (UncheckedIOException closed) {
			return false;
		}
	}

	/**
	 * Waits until a replica has come to a place in the stream of its master.
	 */
	static void awaitOffset(RedisServer replica, long offset, Duration limit) {
		Await.until(limit, () -> replica + " did not get to " + offset,
				() -> Long.parseLong(replica.info().get("slave_repl_offset")) >= offset);
	}

}
