package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Looks at many partitions in one call whether there is anything to do, where they share
 * a server. Safe for use by several threads.
 */
public final class PartitionLooks {

	/** The most partitions of one look: Redis has more to do than that. */
	public static final int MOST = 100;

	private static final Log logger = LogFactory.getLog(PartitionLooks.class);

	private final RedisCalls calls;

	private volatile boolean possible;

	/**
	 * Creates the looks.
	 * @param calls the way to Redis
	 */
	public PartitionLooks(RedisCalls calls) {
		this.calls = calls;
		this.possible = calls.isOneServer();
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
	 * @return {@code false} if they are on several servers, or behind one that treats
	 * them so
	 */
	public boolean isPossible() {
		return this.possible;
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
			Reply reply = this.calls.run(StoreScript.LOOK, partitions);
			List<Look> looks = new ArrayList<>(partitions.size());
			for (int i = 1; i < reply.size(); i += 2) {
				long dueMillis = reply.number(i + 1);
				long dueIn = (dueMillis >= 0) ? Math.max(0, dueMillis * 1000 - reply.number(0)) : -1;
				looks.add(new Look(reply.word(State.class, i), dueIn));
			}
			return looks;
		}
		catch (StoreException failure) {
			if ("CROSSSLOT".equals(FailureKind.code(failure)) && this.possible) {
				this.possible = false;
				logger.info("This Redis takes no call about several partitions: each is looked at by itself");
			}
			throw failure;
		}
	}

}
