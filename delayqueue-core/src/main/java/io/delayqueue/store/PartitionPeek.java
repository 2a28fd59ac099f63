package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Checks many partitions that share a server for work, in one call. Safe for use by
 * several threads.
 */
public final class PartitionPeek {

	/**
	 * The most partitions of one call, so that the call takes well under a millisecond.
	 */
	public static final int MOST = 100;

	/** The time until the next try after Redis has refused. */
	private static final Duration AGAIN = Duration.ofMinutes(10);

	private static final Log logger = LogFactory.getLog(PartitionPeek.class);

	private final RedisCalls calls;

	private final boolean isOneServer;

	private volatile long refusedNanos = System.nanoTime() - AGAIN.toNanos();

	/**
	 * Creates the check.
	 * @param calls the way to Redis
	 */
	public PartitionPeek(RedisCalls calls) {
		this.calls = calls;
		this.isOneServer = calls.isOneServer();
	}

	/** Whether a partition has work. */
	public enum State {

		/** A sweep may find messages to move, or something to report. */
		BUSY,

		/** Nothing is due or undelivered, and the partition is not paused. */
		QUIET,

		/** Quiet, and nothing is pending either. */
		EMPTY

	}

	/**
	 * The result of a check.
	 *
	 * @param state whether the partition has work
	 * @param dueInMicros the time until the next message is due, µs; -1 if there is none
	 */
	public record Peeked(State state, long dueInMicros) {
	}

	/**
	 * Whether partitions can be checked together.
	 * @return {@code false} if they are on several servers, and for ten minutes after
	 * Redis has refused
	 */
	public boolean isPossible() {
		return this.isOneServer && System.nanoTime() - this.refusedNanos >= AGAIN.toNanos();
	}

	/**
	 * Checks partitions. Changes nothing.
	 * @param partitions 1 to {@value #MOST} partitions
	 * @return the result for each, in their order
	 * @throws StoreException if Redis does not answer, or they cannot be checked together
	 */
	public List<Peeked> peek(List<Partition> partitions) {
		try {
			Reply reply = this.calls.run(StoreScript.PEEK_PARTITIONS, partitions, Layouts.KNOWN);
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
