package io.delayqueue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.store.ServerInfo;
import io.delayqueue.store.ServerInfo.Server;
import io.delayqueue.store.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Whether Redis may throw messages away when its memory is full: our keys have no time to
 * live, so {@code allkeys-*} takes them and {@code volatile-*} does not, and without a
 * limit of the memory nothing is taken. See
 * https://redis.io/docs/latest/develop/reference/eviction/
 *
 * <p>
 * Asks each master by one INFO, rarely, by one thread at a time, and not while Redis is
 * known to be away. What was found stays until the next answer. Safe for use by several
 * threads.
 */
public final class EvictionWatch {

	/** How often it asks. */
	public static final Duration INTERVAL = Duration.ofMinutes(1);

	private static final Policy UNKNOWN = new Policy(false, "unknown");

	// immutable

	private final Supplier<List<Server>> masters;

	private final RedisGate gate;

	private final long intervalNanos;

	// shared and safe

	private final ReentrantLock asking = new ReentrantLock();

	private volatile Policy known = UNKNOWN;

	// guarded by asking

	/** Not set until Redis was there to be asked. */
	private @Nullable Long askedAtNanos;

	/**
	 * Creates a watch that has not asked yet.
	 * @param servers tells how the masters are set
	 * @param gate the gate to Redis
	 * @param interval how often to ask
	 */
	public EvictionWatch(ServerInfo servers, RedisGate gate, Duration interval) {
		this(servers::masters, gate, interval);
	}

	EvictionWatch(Supplier<List<Server>> masters, RedisGate gate, Duration interval) {
		this.masters = masters;
		this.gate = gate;
		this.intervalNanos = interval.toNanos();
	}

	/**
	 * What was found.
	 *
	 * @param takesMessages whether a master may throw messages away
	 * @param words the policies, or what is wrong and how to mend it, or that it is
	 * unknown
	 */
	record Policy(boolean takesMessages, String words) {

		static Policy of(List<Server> servers) {
			List<Server> taking = servers.stream().filter(Policy::takes).toList();
			if (!taking.isEmpty()) {
				return new Policy(true, taking.stream().map(Policy::danger).collect(Collectors.joining("; "))
						+ ": set maxmemory-policy to noeviction, or give the queues a Redis of their own");
			}
			String words = servers.stream().map(Policy::words).distinct().collect(Collectors.joining("; "));
			return new Policy(false, words);
		}

		private static boolean takes(Server server) {
			return server.evictsAnyKey() && server.maxMemoryBytes() != 0;
		}

		private static String danger(Server server) {
			return ((server.node() != null) ? "node " + server.node() + " has " : "") + "maxmemory-policy "
					+ server.evictionPolicy()
					+ ((server.maxMemoryBytes() > 0) ? " and maxmemory " + server.maxMemoryBytes() : "")
					+ ", so messages may be thrown away when memory is full";
		}

		private static String words(Server server) {
			if (server.evictionPolicy().isEmpty()) {
				return UNKNOWN.words();
			}
			return server.evictsAnyKey()
					? server.evictionPolicy() + ", which takes messages as soon as maxmemory is set; now it is 0"
					: server.evictionPolicy();
		}

	}

	/** What was found last, after asking if that is long ago. Throws nothing. */
	Policy policy() {
		if (this.asking.tryLock()) {
			try {
				Long asked = this.askedAtNanos;
				if (this.gate.isOpen() && (asked == null || System.nanoTime() - asked >= this.intervalNanos)) {
					ask();
				}
			}
			finally {
				this.asking.unlock();
			}
		}
		return this.known;
	}

	private void ask() {
		try {
			this.known = Policy.of(this.masters.get());
		}
		catch (RuntimeException failure) {
			if (failure instanceof StoreException lost && lost.isRedisLost()) {
				this.gate.lost(lost);
			}
			else {
				this.known = new Policy(false, UNKNOWN.words() + ": " + DetailText.reason(failure));
			}
		}
		finally {
			this.askedAtNanos = this.gate.isOpen() ? Long.valueOf(System.nanoTime()) : null;
		}
	}

}
