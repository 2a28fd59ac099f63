package io.delayqueue.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.RateLimit;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.ReadyMessages.Allowance;
import io.delayqueue.store.ReadyMessages.Read;

import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Sweeps a partition: moves its due messages to the stream, and can deliver ready
 * messages to a consumer in the same call. A sweep is one atomic script. A repeat of the
 * call delivers other messages. The methods throw {@link StoreException}.
 */
public final class DueMessages {

	/**
	 * The most finished ids that one sweep removes. A sweep may remove more ids than it
	 * moves messages.
	 */
	private static final int MOST_REMOVED = 1000;

	/**
	 * After a sweep has parked this number of messages, it checks only the most recently
	 * due messages. It leaves the other due messages to the next sweep, so that one sweep
	 * does not occupy Redis for long.
	 */
	private static final int BACKLOG = 25;

	/** The index at which the delivered messages begin in the reply of the script. */
	private static final int MESSAGES = 9;

	private final RedisCalls calls;

	private final ReadyMessages ready;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public DueMessages(RedisCalls calls) {
		this.calls = calls;
		this.ready = new ReadyMessages(calls);
	}

	/**
	 * What a sweep of a partition has moved, parked and delivered.
	 *
	 * @param moved number of messages that became ready
	 * @param lag number of ready messages that are still undelivered after the call
	 * @param nextDueMillis when the next message is due, ms since 1970, -1 if there is
	 * none. If the sweep left due messages unchecked, this is the due time of the first
	 * message that is not due yet. While the partition is held, this is the end of the
	 * hold
	 * @param more whether this sweep removed as many finished ids as one sweep may, so
	 * that a further sweep may find more
	 * @param parked number of messages that this sweep parked because their group is at
	 * its limit or held
	 * @param behind the group behind which the next sweep continues to search for groups
	 * that have parked messages and free slots
	 * @param heldMillis the latest end of all holds of the partition and of its groups,
	 * ms since 1970, 0 if there is none
	 * @param read the messages that the consumer got, the time of Redis, and whether the
	 * partition is paused or held
	 */
	public record Swept(int moved, long lag, long nextDueMillis, boolean more, int parked, String behind,
			long heldMillis, Read read) {

		/**
		 * Whether the sweep left due messages unchecked because it parked many messages.
		 * @return {@code true} if the next sweep must check more messages that are due
		 * now
		 */
		public boolean isGroupBacklog() {
			return this.parked >= BACKLOG;
		}

	}

	/**
	 * The most messages that a sweep moves, in all and of each group.
	 *
	 * @param batchSize the most messages to move, 1 to 1,000
	 * @param highWaterMark the most undelivered messages that the stream may hold
	 * @param groups the limits of each group that has no limits of its own
	 * @param overrides group key -> the limits of this group
	 */
	public record SweepLimits(int batchSize, int highWaterMark, GroupLimit groups, Map<String, GroupLimit> overrides) {

		/** Makes limits with a copy of the overrides. */
		public SweepLimits {
			overrides = Map.copyOf(overrides);
		}

		/**
		 * Makes the limits for sweeps of a queue from its settings.
		 * @param batchSize the most messages to move, 1 to 1,000
		 * @param highWaterMark the most undelivered messages that the stream may hold
		 * @param queue the settings of the queue
		 * @return the limits
		 */
		public static SweepLimits of(int batchSize, int highWaterMark, QueueSettings queue) {
			Map<String, GroupLimit> overrides = new HashMap<>();
			queue.groups().overrides().keySet().forEach((group) -> overrides.put(group, GroupLimit.of(group, queue)));
			return new SweepLimits(batchSize, highWaterMark, GroupLimit.of("", queue), overrides);
		}

		/**
		 * Returns these limits with a smaller batch, for a sweep that moves no more
		 * messages than it delivers.
		 * @param count the most messages that it delivers, 0 to 1,000
		 * @return the limits
		 */
		public SweepLimits forDelivery(int count) {
			return new SweepLimits(Math.max(1, count), count, this.groups, this.overrides);
		}

	}

	/**
	 * The limits of a group of messages.
	 *
	 * @param active the most messages of the group that may be ready or pending, 0 for
	 * any number
	 * @param rate the most messages of the group per time, {@code null} for any number
	 */
	public record GroupLimit(int active, @Nullable RateLimit rate) {

		/** The limits of a group that is not limited. */
		public static final GroupLimit NONE = new GroupLimit(0, null);

		private static GroupLimit of(String group, QueueSettings queue) {
			return new GroupLimit(queue.groups().limitOf(group, queue.concurrency()),
					queue.groups().rateLimitOf(group));
		}

		private List<Object> arguments() {
			return List.of(this.active, (this.rate != null) ? Double.toString(this.rate.intervalMicros()) : "0",
					(this.rate != null) ? this.rate.burst() : 0);
		}

	}

	/**
	 * Sweeps a partition of a queue without limits.
	 * @param partition the partition
	 * @param limits the limits
	 * @param behind the value of {@link Swept#behind} after the last sweep, empty for the
	 * first sweep
	 * @param consumer the name of the consumer that gets messages
	 * @param count the most messages that the consumer gets, 0 for none
	 * @return what the sweep moved and delivered
	 */
	public Swept sweep(Partition partition, SweepLimits limits, String behind, String consumer, int count) {
		return sweep(partition, limits, behind, consumer, count, Allowance.UNLIMITED);
	}

	/**
	 * Moves due messages of a partition to the stream, the oldest due time first. Then
	 * delivers ready messages to the consumer, as {@link ReadyMessages#read} does.
	 * @param partition the partition
	 * @param limits the limits
	 * @param behind the value of {@link Swept#behind} after the last sweep, empty for the
	 * first sweep
	 * @param consumer the name of the consumer that gets messages
	 * @param count the most messages that the consumer gets, 0 for none
	 * @param allowance the grant for these messages
	 * @return what the sweep moved and delivered
	 */
	public Swept sweep(Partition partition, SweepLimits limits, String behind, String consumer, int count,
			Allowance allowance) {
		List<Object> groups = new ArrayList<>(limits.groups().arguments());
		groups.add(allowance.validUntilMicros());
		groups.add(allowance.held());
		limits.overrides().forEach((group, limit) -> {
			groups.add(group);
			groups.addAll(limit.arguments());
		});
		int removed = (count > 0) ? Math.min(MOST_REMOVED, 4 * limits.batchSize() + 200) : MOST_REMOVED;
		Reply reply = this.calls.run(StoreScript.SWEEP, partition, consumer, count, ReadyMessages.ENOUGH_BYTES,
				limits.batchSize(), limits.highWaterMark(), removed, BACKLOG, behind, groups);
		return new Swept((int) reply.number(2), reply.number(3), reply.number(4), reply.number(5) == removed,
				(int) reply.number(6), reply.text(7), reply.number(8),
				this.ready.complete(reply, MESSAGES, partition, consumer));
	}

}
