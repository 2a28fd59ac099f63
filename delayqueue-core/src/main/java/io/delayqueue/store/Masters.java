package io.delayqueue.store;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;

import io.delayqueue.queue.DaemonThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;

/**
 * The masters of a cluster's slots, as this process has read them last. No caller waits
 * for the cluster, because a node may hang: once the result is 10 s old, a call of
 * {@link #of} starts a thread that reads the masters again. Safe for use by several
 * threads.
 */
final class Masters {

	private static final Log logger = LogFactory.getLog(Masters.class);

	private static final Duration AGE = Duration.ofSeconds(10);

	private final RedisCalls calls;

	private final ThreadFactory threads = new DaemonThreads("delayqueue-masters-");

	private final AtomicBoolean isReading = new AtomicBoolean();

	private final AtomicBoolean isRefused = new AtomicBoolean();

	private volatile long readNanos = System.nanoTime() - AGE.toNanos();

	/** The id of the master of each slot, empty while the masters are not known. */
	private volatile String[] ofSlots = {};

	Masters(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Returns the id of the master of a slot, which may have changed since. Returns empty
	 * text if the masters are not known.
	 */
	String of(int slot) {
		if (System.nanoTime() - this.readNanos >= AGE.toNanos() && this.isReading.compareAndSet(false, true)) {
			this.threads.newThread(this::read).start();
		}
		String[] known = this.ofSlots;
		return (known.length > 0) ? String.valueOf(known[slot]) : "";
	}

	private void read() {
		try {
			this.ofSlots = this.calls.command((connection) -> (connection instanceof RedisClusterConnection cluster)
					? read(cluster) : new String[0]);
		}
		catch (RuntimeException failure) {
			if (this.isRefused.compareAndSet(false, true)) {
				logger.info("The masters of the Redis cluster are not known: " + failure.getMessage()
						+ "; until they are, there is one call for each idle partition, and all of them wait while a"
						+ " master does not answer");
			}
		}
		finally {
			this.readNanos = System.nanoTime();
			this.isReading.set(false);
		}
	}

	private static String[] read(RedisClusterConnection cluster) {
		String[] masters = new String[ClusterSlotHashUtil.SLOT_COUNT];
		cluster.clusterGetNodes().forEach((node) -> {
			if (node.isMaster()) {
				node.getSlotRange().getSlots().forEach((slot) -> masters[slot] = String.valueOf(node.getId()));
			}
		});
		return masters;
	}

}
