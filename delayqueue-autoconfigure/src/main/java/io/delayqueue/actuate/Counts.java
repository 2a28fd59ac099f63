package io.delayqueue.actuate;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.function.ToLongFunction;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.delayqueue.store.Snapshots.PartitionSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * What a queue or a partition of it holds. The numbers of a partition are of one moment,
 * those of several partitions of several moments, so they need not add up.
 *
 * @param scheduled messages that wait, due or not, parked ones too
 * @param overdue of these, those whose due time has passed and that are not parked
 * @param ready messages in the stream that no consumer has yet
 * @param pending messages that a consumer has
 * @param dead dead letters
 * @param oldestOverdueMillis for how long the oldest overdue one has been due, ms; 0 if
 * none is overdue
 * @param oldestPendingIdleMillis the longest silence about a pending message, of the
 * first 100 of a partition, ms; 0 if none is pending
 * @param nextDue the earliest due time of those that wait, in the past while some are
 * overdue; {@code null} if none waits
 * @param paused whether any partition is paused
 * @param pausedSince since when, {@code null} if none is
 * @param drainingSince since when any partition has been accepting nothing new,
 * {@code null} if all accept
 * @param consumers members of the consumer group, dead ones too until they are removed;
 * of a queue the most that a partition has, because each consumer reads every partition.
 * Before Redis 7.2 a consumer is a member from its first message on, see
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
