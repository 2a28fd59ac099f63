package io.delayqueue.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.delayqueue.redis.StoreException;

/**
 * The sweeper's side of a partition: due messages become ready. One atomic script, safe
 * to repeat; it throws {@link StoreException}.
 */
public final class DueMessages {

	private static final int FORGET = 1000;

	/**
	 * After a sweep has parked so many messages, it checks only the most recently due
	 * ones. The rest is left to the next sweep, so that one call does not occupy Redis
	 * for long.
	 */
	private static final int BACKLOG = 25;

	private final RedisCalls calls;

	/**
	 * Creates the side.
	 * @param calls the way to Redis
	 */
	public DueMessages(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * The result of a sweep.
	 *
	 * @param moved messages that became ready
	 * @param lag ready messages that are not delivered yet
	 * @param nextDueMillis when the next message is due, -1 if there is none; if the
	 * sweep ended at the backlog of a group, the next message that is not due yet
	 * @param nowMicros the time of Redis
	 * @param paused whether the partition is paused
	 * @param more whether finished ids with an ended window remain to be removed
	 * @param parked messages that this sweep parked because their group is full
	 * @param behind the group behind which the next sweep searches for parked messages
	 * that no settlement has unparked
	 */
	public record Swept(int moved, long lag, long nextDueMillis, long nowMicros, boolean paused, boolean more,
			int parked, String behind) {

		/**
		 * Whether the sweep parked so many messages that more may be due.
		 * @return whether it ended at the backlog of a group
		 */
		public boolean isGroupBacklog() {
			return this.parked >= BACKLOG;
		}

	}

	/**
	 * The limits of a sweep.
	 *
	 * @param batchSize the most messages to move, 1 to 1,000
	 * @param highWaterMark the most undelivered messages that the stream may hold
	 * @param groupLimit the most messages of a group that are ready or pending, 0 for any
	 * number
	 * @param groupLimits the same for groups with a limit of their own
	 */
	public record SweepLimits(int batchSize, int highWaterMark, int groupLimit, Map<String, Integer> groupLimits) {

		/**
		 * Copies the limits of the groups.
		 */
		public SweepLimits {
			groupLimits = Map.copyOf(groupLimits);
		}

	}

	/**
	 * Moves due messages to the stream, oldest due time first.
	 * @param partition the partition
	 * @param limits the limits
	 * @param behind the value that the last sweep returned, empty to begin
	 * @return the result
	 */
	public Swept sweep(Partition partition, SweepLimits limits, String behind) {
		List<Object> groupLimits = new ArrayList<>();
		limits.groupLimits().forEach((group, limit) -> Collections.addAll(groupLimits, group, limit));
		Reply reply = this.calls.run(StoreScript.SWEEP, partition, limits.batchSize(), limits.highWaterMark(), FORGET,
				BACKLOG, behind, limits.groupLimit(), groupLimits);
		return new Swept((int) reply.number(1), reply.number(2), reply.number(3), reply.number(4), reply.is("paused"),
				reply.number(5) == FORGET, (int) reply.number(6), reply.text(7));
	}

}
