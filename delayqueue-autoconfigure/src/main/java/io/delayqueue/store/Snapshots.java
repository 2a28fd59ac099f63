package io.delayqueue.store;

/**
 * Counts what a partition holds. The numbers are of one moment; those of several
 * partitions are of several.
 */
public final class Snapshots {

	private static final int LOOK = 100;

	private final RedisCalls calls;

	/**
	 * Creates the counts.
	 * @param calls the way to Redis
	 */
	public Snapshots(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * What a partition holds.
	 *
	 * @param scheduled messages that wait, due or not
	 * @param overdue of these, those whose due time has passed
	 * @param ready messages in the stream that nobody has yet
	 * @param pending messages that a consumer has
	 * @param dead dead letters
	 * @param oldestOverdueMillis for how long the oldest overdue one is due
	 * @param oldestPendingIdleMillis the longest silence about a pending message, of the
	 * first 100
	 * @param nextDueMillis when the next one is due, ms since 1970, -1 if there is none
	 * @param pausedSinceMillis since when it is paused, ms since 1970, 0 if it is not
	 * @param consumers members of the consumer group
	 * @param nowMicros the time of Redis
	 */
	public record PartitionSnapshot(long scheduled, long overdue, long ready, long pending, long dead,
			long oldestOverdueMillis, long oldestPendingIdleMillis, long nextDueMillis, long pausedSinceMillis,
			long consumers, long nowMicros) {
	}

	/**
	 * Counts.
	 * @param partition the partition
	 * @return what it holds
	 * @throws StoreException if Redis does not answer
	 */
	public PartitionSnapshot of(Partition partition) {
		Reply reply = this.calls.run(StoreScript.SNAPSHOT, partition, Reply.bytes(LOOK));
		return new PartitionSnapshot(reply.number(0), reply.number(1), reply.number(2), reply.number(3),
				reply.number(4), reply.number(5), reply.number(6), reply.number(7), reply.number(8), reply.number(9),
				reply.number(10));
	}

}
