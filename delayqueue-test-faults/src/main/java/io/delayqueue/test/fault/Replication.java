package io.delayqueue.test.fault;

import java.io.UncheckedIOException;
import java.time.Duration;

import io.delayqueue.test.redis.RedisNotAvailableException;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RedisServerBuilder;

/** Waits for replicas, and reads the state of the replication. */
public final class Replication {

	private Replication() {
	}

	/**
	 * Waits until a replica has all writes that its master has confirmed by now.
	 * @param master the master
	 * @param replica a replica of the master
	 * @param limit the longest wait
	 * @throws RedisNotAvailableException if the replica does not have these writes in
	 * time
	 */
	public static void awaitCopied(RedisServer master, RedisServer replica, Duration limit) {
		long offset = Long.parseLong(info(master, "master_repl_offset"));
		Await.until(limit, () -> replica + " did not get to " + offset,
				() -> Long.parseLong(info(replica, "slave_repl_offset")) >= offset);
	}

	/**
	 * Returns a builder for a server that begins the synchronisation of a replica at
	 * once, and does not wait 5 s for further replicas.
	 */
	static RedisServerBuilder server() {
		return RedisServer.builder().setting("repl-diskless-sync-delay", 0);
	}

	static boolean isResponsive(RedisServer server) {
		return server.isRunning() && !server.isFrozen();
	}

	/**
	 * Waits until a replica has copied the data of its master and is connected to its
	 * master.
	 */
	static void awaitInSync(RedisServer replica, Duration limit) {
		Await.until(limit, () -> replica + " did not get in sync. Its log:\n" + replica.logTail() + "\nNot in sync",
				() -> reports(replica, "role", "slave") && reports(replica, "master_link_status", "up"));
	}

	/**
	 * Returns whether a server reports an expected value of a field. The result is false
	 * if the server closes the connection, as a server does that changes its role.
	 */
	static boolean reports(RedisServer server, String field, String expected) {
		try {
			return info(server, field).equals(expected);
		}
		catch (UncheckedIOException closed) {
			return false;
		}
	}

	private static String info(RedisServer server, String field) {
		return String.valueOf(server.call("INFO", "replication"))
			.lines()
			.filter((line) -> line.startsWith(field + ":"))
			.map((line) -> line.substring(field.length() + 1).strip())
			.findFirst()
			.orElse("");
	}

}
