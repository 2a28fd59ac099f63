package io.delayqueue.actuate;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.function.ToLongFunction;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.delayqueue.store.Snapshots.PartitionSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * Message counts of a queue or of one partition. The counts of one partition are taken at
 * one moment. Partitions are counted one after the other, so the counts of a queue need
 * not add up.
 *
 * @param scheduled scheduled messages, due or not, including parked ones
 * @param overdue the scheduled messages whose due time has passed and that are not parked
 * @param ready messages in the stream that are not delivered yet
 * @param pending messages that are delivered to a consumer and not acknowledged
 * @param dead dead letters
 * @param oldestOverdueMillis for how long the oldest overdue message has been due, ms; 0
 * if none is overdue
 * @param oldestPendingIdleMillis the longest idle time of the first 100 pending messages
 * of each partition, ms; 0 if none is pending
 * @param nextDue the earliest due time of the scheduled messages, in the past while some
 * are overdue; {@code null} if none is scheduled
 * @param paused whether any partition is paused
 * @param pausedSince the earliest time at which a partition was paused, {@code null} if
 * none is paused
 * @param drainingSince the earliest time at which a partition started draining,
 * {@code null} if all accept messages
 * @param consumers members of the consumer group, including dead consumers until they are
 * removed; for a queue the maximum over its partitions, because each consumer reads every
 * partition. Before Redis 7.2 a consumer becomes a member with its first message, see
 * https://github.com/redis/redis/issues/7343
 */
public record Counts(long scheduled, long overdue, long ready, long pending, long dead, long oldestOverdueMillis,
		long oldestPendingIdleMillis, @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Instant nextDue,
		boolean paused, @Nullable Instant pausedSince, @Nullable Instant drainingSince, long consumers) {

	static Counts of(PartitionSnapshot partition) {
		return of(List.of(partition));
	}

	static Counts of(Collection<PartitionSnapshot> partitions) {
		return new Counts(sum(partitions, PartitionSnapshot::scheduled) + sum(partitions, PartitionSnapshot::parked),
				sum(partitions, PartitionSnapshot::overdue), sum(partitions, PartitionSnapshot::ready),
				sum(partitions, PartitionSnapshot::pending), sum(partitions, PartitionSnapshot::dead),
				most(partitions, PartitionSnapshot::oldestOverdueMillis),
				most(partitions, PartitionSnapshot::oldestPendingIdleMillis), nextDue(partitions),
				partitions.stream().anyMatch((partition) -> partition.pausedSinceMillis() > 0),
				earliest(partitions, PartitionSnapshot::pausedSinceMillis),
				earliest(partitions, PartitionSnapshot::drainingSinceMillis),
				most(partitions, PartitionSnapshot::consumers));
	}

	private static long sum(Collection<PartitionSnapshot> partitions, ToLongFunction<PartitionSnapshot> count) {
		return partitions.stream().mapToLong(count).sum();
	}

	private static long most(Collection<PartitionSnapshot> partitions, ToLongFunction<PartitionSnapshot> count) {
		return partitions.stream().mapToLong(count).max().orElse(0);
	}

	private static @Nullable Instant earliest(Collection<PartitionSnapshot> partitions,
			ToLongFunction<PartitionSnapshot> sinceMillis) {
		return partitions.stream()
			.mapToLong(sinceMillis)
			.filter((since) -> since > 0)
			.mapToObj(Instant::ofEpochMilli)
			.min(Instant::compareTo)
			.orElse(null);
	}

	private static @Nullable Instant nextDue(Collection<PartitionSnapshot> partitions) {
		return partitions.stream()
			.filter((partition) -> partition.nextDueMillis() >= 0)
			.map((partition) -> Instant.ofEpochMilli(partition.nextDueMillis()))
			.min(Instant::compareTo)
			.orElse(null);
	}

}
