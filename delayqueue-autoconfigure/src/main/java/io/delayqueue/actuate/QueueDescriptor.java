package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.function.ToLongFunction;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.delayqueue.RateLimit;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.store.Snapshots.PartitionSnapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A queue with its partitions, upcoming due times and consumers.
 *
 * @param name its name
 * @param counts the counts of all its partitions
 * @param parked the scheduled messages that are due and wait because their group is at
 * its limit
 * @param horizon when scheduled messages will be due
 * @param epochs the partition counts that the queue has at the same time, the oldest one
 * first; a single one unless the count was changed
 * @param partitions the partitions, those of the oldest epoch first
 * @param consumerDetails the consumers of all processes, by descending number of
 * messages; at most the first 100 of each partition
 * @param holds the holds of the queue and of its groups that have not ended: that of the
 * queue, then at most 100 of groups
 * @param limits the limits of the queue, {@code null} if it has none
 * @param listeners the listeners of the answering process, {@code null} if it cannot have
 * any
 */
public record QueueDescriptor(String name, @JsonUnwrapped Counts counts, long parked, Horizon horizon,
		List<Epoch> epochs, List<Partition> partitions, List<Consumer> consumerDetails, List<Hold> holds,
		@Nullable Limits limits, @Nullable List<Listener> listeners) implements OperationResponseBody {

	/**
	 * An epoch: it began with a change of the partition count.
	 *
	 * @param number its number, 0 for the first one
	 * @param partitions its partition count
	 * @param state {@code current}: new messages go to it; {@code older}: it ends when it
	 * is empty; {@code announced}: it will be the current one in a moment
	 * @param messages the number of its messages, dead letters included
	 * @param dead the number of its dead letters. If dead letters stay in an older epoch
	 * for more than some seconds after all other messages have ended, their ids are taken
	 * in newer epochs: redrive or discard them
	 * @param lastDue when its last scheduled message is due, {@code null} if none is
	 * scheduled
	 */
	public record Epoch(int number, int partitions, String state, long messages, long dead,
			@JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Instant lastDue) {
	}

	/**
	 * A hold.
	 *
	 * @param group the group key, {@code null} if the whole queue is held
	 * @param until when it ends, by the clock of Redis
	 * @param by {@code HANDLER} or {@code OPERATOR}
	 * @param process the process that has made it
	 * @param why the reason; may be empty
	 */
	public record Hold(@JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String group, Instant until, String by,
			String process, String why) {
	}

	/**
	 * The limits of a queue over all processes together.
	 *
	 * @param messages the most messages in the time, {@code null} without a rate limit
	 * @param per the time, {@code null} without a rate limit
	 * @param burst the most messages at once, {@code null} without a rate limit
	 * @param stored whether an operator has set the rate limit; otherwise it is that of
	 * the settings of the answering process
	 * @param maxInFlight the most messages that are pending at once, by the settings of
	 * the answering process; 0 for any number
	 */
	public record Limits(@Nullable Integer messages, @Nullable Duration per, @Nullable Integer burst, boolean stored,
			int maxInFlight) {

		static @Nullable Limits of(@Nullable RateLimit stored, FlowSettings settings) {
			RateLimit rate = (stored != null) ? stored : settings.rateLimit();
			if (rate == null) {
				return (settings.maxInFlight() > 0) ? new Limits(null, null, null, false, settings.maxInFlight())
						: null;
			}
			return new Limits(rate.messages(), rate.per(), rate.burst(), stored != null, settings.maxInFlight());
		}

	}

	/**
	 * A partition.
	 *
	 * @param number its number, from 0
	 * @param counts its counts
	 * @param parked the scheduled messages that are parked
	 * @param owner the name of the member that reclaims, audits and repairs it,
	 * {@code null} if no member consumes the queue or the members cannot be read
	 * @param standby the name of the member that becomes the owner when the owner is no
	 * member any more, {@code null} if there is none
	 * @param epoch the number of its epoch
	 */
	public record Partition(int number, @JsonUnwrapped Counts counts, long parked,
			@JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String owner,
			@JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String standby, int epoch) {
	}

	/**
	 * Number of scheduled messages that are not parked, by due time and by the clock of
	 * Redis. The numbers from {@code withinMinute} to {@code withinDay} are cumulative.
	 * The sum of {@code overdue}, {@code withinDay} and {@code later} is the number of
	 * these messages.
	 *
	 * @param overdue due already, and not swept yet
	 * @param withinMinute due within a minute
	 * @param within10Minutes due within 10 minutes
	 * @param withinHour due within an hour
	 * @param withinDay due within a day
	 * @param later due later than that
	 */
	public record Horizon(long overdue, long withinMinute, long within10Minutes, long withinHour, long withinDay,
			long later) {
	}

	/**
	 * A member of the consumer groups of the partitions.
	 *
	 * @param name its name: host, process id and some characters that differ with each
	 * start
	 * @param inFlight the number of its pending messages
	 * @param oldestIdleMillis the longest idle time of its first 10 pending messages of
	 * each partition, ms; 0 if it has none
	 * @param silentMillis the time since it last received a message, ms; from Redis 7.2
	 * on, the time since it last tried to read one
	 */
	public record Consumer(String name, long inFlight, long oldestIdleMillis, long silentMillis) {
	}

	/**
	 * A listener.
	 *
	 * @param id its id
	 * @param running whether it was started and not stopped since
	 * @param paused whether it is paused
	 * @param inFlight how many messages it handles at this moment
	 * @param concurrency the maximum number of messages that it handles at once
	 */
	public record Listener(String id, boolean running, boolean paused, int inFlight, int concurrency) {
	}

	/**
	 * Message counts of a queue or of one partition. The counts of one partition are
	 * taken at one moment. Partitions are counted one after the other, so the counts of a
	 * queue need not add up.
	 *
	 * @param scheduled scheduled messages, due or not, including parked ones
	 * @param overdue the scheduled messages whose due time has passed and that are not
	 * parked
	 * @param ready messages in the stream that are not delivered yet
	 * @param pending messages that are delivered to a consumer and not acknowledged
	 * @param dead dead letters
	 * @param oldestOverdueMillis for how long the oldest overdue message has been due,
	 * ms; 0 if none is overdue
	 * @param oldestPendingIdleMillis the longest idle time of the first 100 pending
	 * messages of each partition, ms; 0 if none is pending
	 * @param nextDue the earliest due time of the scheduled messages, in the past while
	 * some are overdue; {@code null} if none is scheduled
	 * @param paused whether any partition is paused
	 * @param pausedSince the earliest time at which a partition was paused, {@code null}
	 * if none is paused
	 * @param drainingSince the earliest time at which a partition started draining,
	 * {@code null} if all accept messages
	 * @param held whether any partition is held
	 * @param heldUntil the latest end of the hold of a partition, {@code null} if none is
	 * held
	 * @param heldGroups the number of groups with a hold; for some the hold may have
	 * ended
	 * @param consumers members of the consumer group, including dead consumers until they
	 * are removed; for a queue the maximum over its partitions, because each consumer
	 * reads every partition. Before Redis 7.2 a consumer becomes a member with its first
	 * message, see https://github.com/redis/redis/issues/7343
	 */
	public record Counts(long scheduled, long overdue, long ready, long pending, long dead, long oldestOverdueMillis,
			long oldestPendingIdleMillis, @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Instant nextDue,
			boolean paused, @Nullable Instant pausedSince, @Nullable Instant drainingSince, boolean held,
			@Nullable Instant heldUntil, long heldGroups, long consumers) {

		static Counts of(Collection<PartitionSnapshot> partitions) {
			return new Counts(
					sum(partitions, PartitionSnapshot::scheduled) + sum(partitions, PartitionSnapshot::parked),
					sum(partitions, PartitionSnapshot::overdue), sum(partitions, PartitionSnapshot::ready),
					sum(partitions, PartitionSnapshot::pending), sum(partitions, PartitionSnapshot::dead),
					most(partitions, PartitionSnapshot::oldestOverdueMillis),
					most(partitions, PartitionSnapshot::oldestPendingIdleMillis), nextDue(partitions),
					partitions.stream().anyMatch((partition) -> partition.pausedSinceMillis() > 0),
					earliest(partitions, PartitionSnapshot::pausedSinceMillis),
					earliest(partitions, PartitionSnapshot::drainingSinceMillis),
					most(partitions, PartitionSnapshot::heldUntilMillis) > 0, heldUntil(partitions),
					sum(partitions, PartitionSnapshot::heldGroups), most(partitions, PartitionSnapshot::consumers));
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

		private static @Nullable Instant heldUntil(Collection<PartitionSnapshot> partitions) {
			long until = most(partitions, PartitionSnapshot::heldUntilMillis);
			return (until > 0) ? Instant.ofEpochMilli(until) : null;
		}

		static @Nullable Instant lastDue(Collection<PartitionSnapshot> partitions) {
			long last = partitions.stream().mapToLong(PartitionSnapshot::lastDueMillis).max().orElse(-1);
			return (last >= 0) ? Instant.ofEpochMilli(last) : null;
		}

		private static @Nullable Instant nextDue(Collection<PartitionSnapshot> partitions) {
			return partitions.stream()
				.filter((partition) -> partition.nextDueMillis() >= 0)
				.map((partition) -> Instant.ofEpochMilli(partition.nextDueMillis()))
				.min(Instant::compareTo)
				.orElse(null);
		}

	}

}
