package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The sweeper's side of a partition: what is due becomes ready. One atomic script, safe
 * to repeat; it throws {@link StoreException}.
 */
public final class DueMessages {

	private static final int FORGET = 1000;

	/**
	 * When a sweep has set aside so many, it looks at those that came due last, and the
	 * others wait for the next one: Redis has more to do than that.
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
	 * What a sweep did and met.
	 *
	 * @param moved messages that became ready
	 * @param lag messages that are ready and not delivered
	 * @param nextDueMillis when the next one is due, -1 if there is none; beside the
	 * backlog of a group the next one that is not due yet
	 * @param nowMicros the time of Redis
	 * @param paused whether the partition is paused
	 * @param more whether finished ids are left to be forgotten
	 * @param parked messages that wait aside from now on, because their group is full
	 * @param behind the group behind which the next sweep looks for parked messages that
	 * nobody has brought back
	 */
	public record Swept(int moved, long lag, long nextDueMillis, long nowMicros, boolean paused, boolean more,
			int parked, String behind) {

		/**
		 * Whether so many had to be set aside that more may be due.
		 * @return whether it ended at the backlog of a group
		 */
		public boolean isGroupBacklog() {
			return this.parked >= BACKLOG;
		}

	}

	/**
	 * How much a sweep may do.
	 *
	 * @param batchSize the most messages to move, 1 to 1,000
	 * @param highWaterMark the most undelivered messages that the stream may hold
	 * @param groupLimit the most messages of a group that are ready or pending, 0 for any
	 * number
	 * @param groupLimits the same for groups with a limit of their own
	 */
	public record SweepLimits(int batchSize, int highWaterMark, int groupLimit, Map<String, Integer> groupLimits) {

		/**
		 * Copies the limits of the groups in.
		 */
		public SweepLimits {
			groupLimits = Map.copyOf(groupLimits);
		}

	}

	/**
	 * Moves what is due to the stream, oldest due first.
	 * @param partition the partition
	 * @param limits how much to do
	 * @param behind as the last sweep said, empty to begin
	 * @return what was done
	 */
	public Swept sweep(Partition partition, SweepLimits limits, String behind) {
		List<byte[]> arguments = new ArrayList<>(
				List.of(Reply.bytes(limits.batchSize()), Reply.bytes(limits.highWaterMark()), Reply.bytes(FORGET),
						Reply.bytes(BACKLOG), Reply.bytes(behind), Reply.bytes(limits.groupLimit())));
		limits.groupLimits().forEach((group, limit) -> {
			arguments.add(Reply.bytes(group));
			arguments.add(Reply.bytes(limit));
		});
		Reply reply = this.calls.run(StoreScript.SWEEP, partition, arguments.toArray(byte[][]::new));
		return new Swept((int) reply.number(0), reply.number(1), reply.number(2), reply.number(3), reply.number(4) == 1,
				reply.number(5) == FORGET, (int) reply.number(6), reply.text(7));
	}

}
