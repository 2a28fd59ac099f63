package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Checks in one call which of many partitions on one server need a sweep. Safe for use by
 * several threads.
 */
public final class PartitionPeek {

	/**
	 * The most partitions of one call, so that the call takes well under a millisecond.
	 */
	public static final int MOST = 100;

	/** The time until the next try after Redis has refused a call. */
	private static final Duration AGAIN = Duration.ofMinutes(10);

	/** The time for which the masters of a cluster's slots are remembered. */
	private static final Duration MASTERS_AGE = Duration.ofSeconds(10);

	private static final Log logger = LogFactory.getLog(PartitionPeek.class);

	private final RedisCalls calls;

	private final boolean isOneServer;

	private volatile String[] masters = {};

	private volatile long mastersNanos;

	private volatile long refusedNanos = System.nanoTime() - AGAIN.toNanos();

	/**
	 * Creates the check of partitions.
	 * @param calls the access to Redis
	 */
	public PartitionPeek(RedisCalls calls) {
		this.calls = calls;
		this.isOneServer = calls.isOneServer();
	}

	/** Whether a partition needs a sweep. */
	public enum State {

		/**
		 * A sweep may be needed: for messages, for finished ids whose window has ended,
		 * or to report a pause, another layout or an error.
		 */
		BUSY,

		/**
		 * No message is due, parked or ready, and the partition is neither paused nor
		 * held.
		 */
		QUIET,

		/** As {@link #QUIET}, and no message is pending. */
		EMPTY

	}

	/**
	 * The result of a check.
	 *
	 * @param state whether the partition needs a sweep
	 * @param dueInMicros the time until the next message is due, us; -1 if there is none
	 */
	public record Peeked(State state, long dueInMicros) {
	}

	/**
	 * Whether several partitions can be checked in one call.
	 * @return {@code false} for ten minutes after Redis has refused such a call
	 */
	public boolean isPossible() {
		return System.nanoTime() - this.refusedNanos >= AGAIN.toNanos();
	}

	/**
	 * Divides partitions into calls, each to one server.
	 * @param partitions any number of partitions
	 * @return the partitions of each call, 1 to {@value #MOST}
	 * @throws StoreException if a cluster does not answer
	 */
	public List<List<Partition>> calls(List<Partition> partitions) {
		Map<String, List<Partition>> byMaster = partitions.stream().collect(Collectors.groupingBy(this::master));
		List<List<Partition>> calls = new ArrayList<>();
		for (List<Partition> all : byMaster.values()) {
			for (int from = 0; from < all.size(); from += MOST) {
				calls.add(all.subList(from, Math.min(all.size(), from + MOST)));
			}
		}
		return calls;
	}

	/**
	 * Returns the master of a partition, as far as known; a partition that has moved is
	 * busy.
	 */
	private String master(Partition partition) {
		if (this.isOneServer) {
			return "";
		}
		if (this.masters.length == 0 || System.nanoTime() - this.mastersNanos > MASTERS_AGE.toNanos()) {
			this.masters = this.calls.masters();
			this.mastersNanos = System.nanoTime();
		}
		return String.valueOf(this.masters[this.calls.slot(partition)]);
	}

	/**
	 * Checks which partitions need a sweep. Writes nothing.
	 * @param partitions 1 to {@value #MOST} partitions
	 * @return the result for each partition, in their order
	 * @throws StoreException if Redis does not answer, or refuses to check several
	 * partitions in one call
	 */
	public List<Peeked> peek(List<Partition> partitions) {
		try {
			Reply reply = this.calls.run(StoreScript.PEEK_PARTITIONS, partitions);
			List<Peeked> results = new ArrayList<>(partitions.size());
			for (int i = 2; i < reply.size(); i += 2) {
				long dueMillis = reply.number(i + 1);
				long dueIn = (dueMillis >= 0) ? Math.max(0, dueMillis * 1000 - reply.number(1)) : -1;
				results.add(new Peeked(reply.word(State.class, i), dueIn));
			}
			if (results.size() != partitions.size()) {
				throw reply.unexpected(reply.size());
			}
			return results;
		}
		catch (StoreException failure) {
			if (failure.kind() == FailureKind.REFUSED && isPossible()) {
				this.refusedNanos = System.nanoTime();
				logger.info(
						"Redis refuses to check several partitions in one call, so each is checked in a call of its own: "
								+ failure.getMessage());
			}
			throw failure;
		}
	}

}
