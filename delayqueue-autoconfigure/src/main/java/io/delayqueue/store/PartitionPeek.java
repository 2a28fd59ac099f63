package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Looks at many partitions in one call whether there is anything to do, where they share
 * a server. Safe for use by several threads.
 */
public final class PartitionPeek {

	/** The most partitions of one look, so that it takes well under a millisecond. */
	public static final int MOST = 100;

	/** When to try again after Redis has refused. */
	private static final Duration AGAIN = Duration.ofMinutes(10);

	private static final Log logger = LogFactory.getLog(PartitionPeek.class);

	private final RedisCalls calls;

	private final boolean isOneServer;

	private volatile long refusedNanos = System.nanoTime() - AGAIN.toNanos();

	/**
	 * Creates the looks.
	 * @param calls the way to Redis
	 */
	public PartitionPeek(RedisCalls calls) {
		this.calls = calls;
		this.isOneServer = calls.isOneServer();
	}

	/** How much there is to do. */
	public enum State {

		/** A sweep may find something to do or to tell. */
		BUSY,

		/** Nothing is due or undelivered, and the partition is not paused. */
		QUIET,

		/** Quiet, and nothing is pending either. */
		EMPTY

	}

	/**
	 * What a look met.
	 *
	 * @param state how much there is to do
	 * @param dueInMicros in how long the next message is due, -1 if there is none
	 */
	public record Look(State state, long dueInMicros) {
	}

	/**
	 * Whether partitions can be looked at together.
	 * @return {@code false} if they are on several servers, and for ten minutes after
	 * Redis has refused
	 */
	public boolean isPossible() {
		return this.isOneServer && System.nanoTime() - this.refusedNanos >= AGAIN.toNanos();
	}

	/**
	 * Looks. Changes nothing.
	 * @param partitions 1 to {@value #MOST} partitions
	 * @return what each met, in their order
	 * @throws StoreException if Redis does not answer, or they cannot be looked at
	 * together
	 */
	public List<Look> look(List<Partition> partitions) {
		try {
			Reply reply = this.calls.run(StoreScript.PEEK_PARTITIONS, partitions, Reply.bytes(Layouts.KNOWN));
			List<Look> looks = new ArrayList<>(partitions.size());
			for (int i = 1; i < reply.size(); i += 2) {
				long dueMillis = reply.number(i + 1);
				long dueIn = (dueMillis >= 0) ? Math.max(0, dueMillis * 1000 - reply.number(0)) : -1;
				looks.add(new Look(reply.word(State.class, i), dueIn));
			}
			if (looks.size() != partitions.size()) {
				throw reply.unexpected(reply.size());
			}
			return looks;
		}
		catch (StoreException failure) {
			if (failure.kind() == FailureKind.REFUSED && isPossible()) {
				this.refusedNanos = System.nanoTime();
				logger.info("This Redis does not tell of several partitions at once, so each is looked at by itself: "
						+ failure.getMessage());
			}
			throw failure;
		}
	}

}
