package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Checks with one call to Redis which of many partitions on one server need a sweep. Safe
 * for use by several threads.
 */
public final class PartitionPeek {

	/**
	 * The most partitions that one call checks, so that the call takes well under a
	 * millisecond.
	 */
	public static final int MOST = 100;

	/**
	 * After Redis has refused a call that checks several partitions, this process makes
	 * no such call for this time.
	 */
	private static final Duration AGAIN = Duration.ofMinutes(10);

	private static final Log logger = LogFactory.getLog(PartitionPeek.class);

	private final RedisCalls calls;

	private volatile long refusedNanos = System.nanoTime() - AGAIN.toNanos();

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public PartitionPeek(RedisCalls calls) {
		this.calls = calls;
	}

	/** Whether a partition needs a sweep now. */
	public enum State {

		/**
		 * The partition may need a sweep: to move or deliver messages, to remove finished
		 * ids whose time has ended, or to report a pause, another layout or an error.
		 */
		BUSY,

		/**
		 * The partition needs no sweep: no message is due, parked or ready, no finished
		 * id is to be removed, and the partition is neither paused nor held.
		 */
		QUIET,

		/**
		 * Like {@link #QUIET}, and no message of the partition is pending. A partition
		 * that has no message to deliver and no finished ids is empty also while it is
		 * paused or held.
		 */
		EMPTY

	}

	/**
	 * Whether a partition needs a sweep now, and when its next message is due.
	 *
	 * @param state whether the partition needs a sweep
	 * @param dueInMicros the time until the next message is due, us; -1 if there is none
	 */
	public record Peeked(State state, long dueInMicros) {
	}

	/**
	 * Whether Redis allows the check of several partitions in one call.
	 * @return {@code false} for ten minutes after Redis has refused such a call
	 */
	public boolean isPossible() {
		return System.nanoTime() - this.refusedNanos >= AGAIN.toNanos();
	}

	/**
	 * Divides partitions into groups that can be checked in one call.
	 * @param partitions partitions with the same {@link RedisCalls#server server}. A
	 * partition may have moved since: the script reports such a partition as busy
	 * @return the groups, each with 1 to {@value #MOST} partitions; groups of one
	 * partition if the masters of a cluster are not known
	 */
	public List<List<Partition>> calls(List<Partition> partitions) {
		return this.calls.together(partitions, MOST);
	}

	/**
	 * Checks which of some partitions on one server need a sweep. Writes nothing.
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
						"Redis refuses to check several partitions in one call, so there is one call for each partition: "
								+ failure.getMessage());
			}
			throw failure;
		}
	}

}
