package io.delayqueue.test.redis;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/** Shared by cluster and sentinel: checks of masters and replicas. */
final class Replication {

	/**
	 * Without this a replica waits 5 s for other replicas that need the same snapshot.
	 */
	static final List<Setting> SETTINGS = List.of(Setting.of("repl-diskless-sync-delay", 0));

	private Replication() {
	}

	/** Waits until a replica has the data of its master and follows it. */
	static void awaitInSync(RedisServer replica, Duration limit) {
		Await.until(limit, () -> replica + " did not get in sync. Its log:\n" + replica.logTail() + "\nNot in sync",
				() -> reports(replica,
						(info) -> "slave".equals(info.get("role")) && "up".equals(info.get("master_link_status"))));
	}

	/**
	 * Whether a server reports an expected state. A server that changes its role closes
	 * its connections, this one too: then it reports nothing yet.
	 */
	static boolean reports(RedisServer server, Predicate<ServerInfo> expected) {
		try {
			return expected.test(server.info());
		}
		catch (UncheckedIOException closed) {
			return false;
		}
	}

	/** Waits until a replica has reached an offset in the stream of its master. */
	static void awaitOffset(RedisServer replica, long offset, Duration limit) {
		Await.until(limit, () -> replica + " did not get to " + offset,
				() -> Long.parseLong(replica.info().get("slave_repl_offset")) >= offset);
	}

}
