package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;

/**
 * Counts the messages of a partition. All counts of one partition are of the same moment;
 * the counts of two partitions are of different moments.
 */
public final class Snapshots {

	private static final int IDLE_SAMPLE = 100;

	private static final int FIRST_WITHIN = 20;

	private final RedisCalls calls;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public Snapshots(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * The counts of a partition's messages by state.
	 *
	 * @param scheduled number of scheduled messages, due or not
	 * @param overdue number of scheduled messages whose due time has passed
	 * @param ready number of messages in the stream that no consumer holds yet
	 * @param pending number of messages that a consumer holds
	 * @param dead number of dead letters
	 * @param oldestOverdueMillis the time since the oldest overdue message became due, ms
	 * @param oldestPendingIdleMillis the longest time for which the lease of one of the
	 * first 100 pending messages was not renewed, ms
	 * @param nextDueMillis when the next message is due, ms since 1970, -1 if there is
	 * none
	 * @param pausedSinceMillis since when the partition is paused, ms since 1970, 0 if
	 * the partition is not paused
	 * @param consumers number of consumers in the consumer group
	 * @param nowMicros the time of Redis, us since 1970
	 * @param oldestReadyMillis the time since the oldest ready message became ready, ms
	 * @param drainingSinceMillis since when the partition accepts no new message, ms
	 * since 1970, 0 if it accepts messages
	 * @param parked number of due messages that wait because their group is at its limit
	 * @param lastDueMillis when the last scheduled message is due, ms since 1970, -1 if
	 * there is none
	 * @param closed whether the partition is closed: new messages go to a newer epoch
	 * @param heldUntilMillis until when the partition is held, ms since 1970, 0 if the
	 * partition is not held
	 * @param heldGroups the number of groups with a stored hold; some of these holds may
	 * have ended
	 * @param nextRecurrenceMillis when a recurring schedule of the partition is due next,
	 * ms since 1970, -1 for none
	 */
	public record PartitionSnapshot(long scheduled, long overdue, long ready, long pending, long dead,
			long oldestOverdueMillis, long oldestPendingIdleMillis, long nextDueMillis, long pausedSinceMillis,
			long consumers, long nowMicros, long oldestReadyMillis, long drainingSinceMillis, long parked,
			long lastDueMillis, boolean closed, long heldUntilMillis, long heldGroups, long nextRecurrenceMillis) {

		/**
		 * Whether the partition delivers no message at the moment.
		 * @return {@code true} if the partition is paused or held
		 */
		public boolean isStopped() {
			return this.pausedSinceMillis > 0 || this.heldUntilMillis > 0;
		}

		/**
		 * {@return how long a recurring schedule has been due without its occurrence
		 * being stored, ms; 0 if no schedule is due}
		 */
		public long recurringLateMillis() {
			return (this.nextRecurrenceMillis > 0) ? Math.max(0, this.nowMicros / 1000 - this.nextRecurrenceMillis) : 0;
		}

		/**
		 * Adds up the counts of the partition's messages.
		 * @return the number of messages in any state, dead letters included
		 */
		public long messages() {
			return this.scheduled + this.parked + this.ready + this.pending + this.dead;
		}

	}

	/**
	 * Counts the messages of a partition.
	 * @param partition the partition
	 * @return the counts
	 * @throws StoreException if Redis does not answer
	 */
	public PartitionSnapshot of(Partition partition) {
		return outlook(partition, List.of()).now();
	}

	/**
	 * The message counts of a partition, and how many scheduled messages become due
	 * within each requested time; all numbers are of the same moment.
	 *
	 * @param now the counts
	 * @param within the number of scheduled messages that will be due within each
	 * requested time, without overdue ones
	 */
	public record Outlook(PartitionSnapshot now, List<Long> within) {
	}

	/**
	 * Counts the messages of a partition, and the scheduled messages that become due
	 * within each of the given times.
	 * @param partition the partition
	 * @param within the times from now, each 0 or more
	 * @return the counts
	 * @throws StoreException if Redis does not answer
	 */
	public Outlook outlook(Partition partition, List<Duration> within) {
		Reply reply = this.calls.run(StoreScript.SNAPSHOT, partition, IDLE_SAMPLE, within);
		List<Long> coming = new ArrayList<>();
		for (int i = FIRST_WITHIN; i < reply.size(); i++) {
			coming.add(reply.number(i));
		}
		return new Outlook(snapshot(reply), coming);
	}

	private static PartitionSnapshot snapshot(Reply reply) {
		return new PartitionSnapshot(reply.number(1), reply.number(2), reply.number(3), reply.number(4),
				reply.number(5), reply.number(6), reply.number(7), reply.number(8), reply.number(9), reply.number(10),
				reply.number(11), reply.number(12), reply.number(13), reply.number(14), reply.number(15),
				reply.number(16) == 1, reply.number(17), reply.number(18), reply.number(19));
	}

}
