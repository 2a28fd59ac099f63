package io.delayqueue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.redis.StoreException;
import io.delayqueue.server.ServerInfo.Server;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * Checks whether Redis may evict messages when its memory is full. The keys of the
 * library have no time to live, so the policies {@code allkeys-*} may evict these keys,
 * and the policies {@code volatile-*} do not. Without a memory limit Redis evicts
 * nothing. See https://redis.io/docs/latest/develop/reference/eviction/
 *
 * <p>
 * A check sends one INFO to each master. One thread at a time makes a check, at most once
 * in each interval. While Redis is unavailable, the gate is closed, and no check is made.
 * The result of a check stays valid until a later check gets an answer from Redis. Safe
 * for use by several threads.
 */
public final class EvictionWatch implements AopInfrastructureBean {

	/** The default interval between two checks of the eviction policy. */
	public static final Duration INTERVAL = Duration.ofMinutes(1);

	private static final Policy UNKNOWN = new Policy(false, "unknown");

	// immutable

	private final Supplier<List<Server>> masters;

	private final RedisGate gate;

	private final long intervalNanos;

	// shared and safe

	private final ReentrantLock checking = new ReentrantLock();

	private volatile Policy known = UNKNOWN;

	// guarded by checking

	/**
	 * The time of the last check, {@code null} before the first check and after a check
	 * that found Redis unavailable.
	 */
	private @Nullable Long checkedAtNanos;

	/**
	 * Creates a watch that has made no check yet.
	 * @param masters reads the settings of the masters
	 * @param gate stops calls while Redis is unavailable
	 * @param interval the minimum time between two checks
	 */
	public EvictionWatch(Supplier<List<Server>> masters, RedisGate gate, Duration interval) {
		this.masters = masters;
		this.gate = gate;
		this.intervalNanos = interval.toNanos();
	}

	/**
	 * The result of a check of the eviction policies.
	 *
	 * @param evictsMessages whether a master may evict messages
	 * @param description the eviction policies of the masters, or the problem and its
	 * solution, or "unknown"
	 */
	record Policy(boolean evictsMessages, String description) {

		static Policy of(List<Server> servers) {
			List<Server> evicting = servers.stream().filter(Policy::evicts).toList();
			if (!evicting.isEmpty()) {
				return new Policy(true, evicting.stream().map(Policy::warning).collect(Collectors.joining("; "))
						+ ": set maxmemory-policy to noeviction, or give the queues a Redis of their own");
			}
			String description = servers.stream().map(Policy::description).distinct().collect(Collectors.joining("; "));
			return new Policy(false, description);
		}

		private static boolean evicts(Server server) {
			return server.evictsAnyKey() && server.maxMemoryBytes() != 0;
		}

		private static String warning(Server server) {
			return ((server.node() != null) ? "node " + server.node() + " has " : "") + "maxmemory-policy "
					+ server.evictionPolicy()
					+ ((server.maxMemoryBytes() > 0) ? " and maxmemory " + server.maxMemoryBytes() : "")
					+ ", so messages may be evicted when memory is full";
		}

		private static String description(Server server) {
			if (server.evictionPolicy().isEmpty()) {
				return UNKNOWN.description();
			}
			return server.evictsAnyKey()
					? server.evictionPolicy()
							+ ", which evicts messages as soon as maxmemory is set; maxmemory is 0 now"
					: server.evictionPolicy();
		}

	}

	/**
	 * Returns the result of the last check. If the interval has passed, a new check is
	 * made first. The method throws no exception if a check fails.
	 */
	Policy policy() {
		if (this.checking.tryLock()) {
			try {
				Long checked = this.checkedAtNanos;
				if (this.gate.isOpen() && (checked == null || System.nanoTime() - checked >= this.intervalNanos)) {
					check();
				}
			}
			finally {
				this.checking.unlock();
			}
		}
		return this.known;
	}

	private void check() {
		try {
			this.known = Policy.of(this.masters.get());
		}
		catch (RuntimeException failure) {
			if (!(failure instanceof StoreException lost && lost.isRedisLost())) {
				this.known = new Policy(false, UNKNOWN.description() + ": " + DiagnosticText.reason(failure));
			}
		}
		finally {
			this.checkedAtNanos = this.gate.isOpen() ? Long.valueOf(System.nanoTime()) : null;
		}
	}

}
