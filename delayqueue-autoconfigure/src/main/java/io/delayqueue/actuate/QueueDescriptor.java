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
 * A queue with its partitions, upcoming due times and consumers, in a response of the
 * endpoint.
 *
 * @param name the queue's name
 * @param counts the counts of all partitions of the queue
 * @param members the number of members (processes that consume queues) that consume the
 * queue, {@code null} if the list of members cannot be read
 * @param memberNames the names of these members
 * @param throttled whether overdue messages wait because of the queue's limits
 * @param parked the number of scheduled messages that are due and wait because their
 * group is at a limit or held
 * @param horizon the numbers of scheduled messages by due time
 * @param epochs the epochs (sets of partitions, one for each partition count) that the
 * queue has at the same time, the oldest first; one epoch unless the partition count was
 * changed
 * @param partitions the partitions of all epochs, those of the oldest epoch first
 * @param consumerDetails the processes that are in the consumer groups of the queue,
 * those with the most pending messages first; from at most 100 consumers of each
 * partition
 * @param holds the holds that have not ended: first the hold of the queue, then at most
 * 100 holds of groups
 * @param limits the limits of the queue, {@code null} if it has none
 * @param listeners the listeners of the process that answers the request, {@code null} if
 * this process cannot have listeners
 */
public record QueueDescriptor(String name, @JsonUnwrapped Counts counts, @Nullable Integer members,
		List<String> memberNames, boolean throttled, long parked, Horizon horizon, List<Epoch> epochs,
		List<Partition> partitions, List<Consumer> consumerDetails, List<Hold> holds, @Nullable Limits limits,
		@Nullable List<Listener> listeners) implements OperationResponseBody {

	/**
	 * An epoch: the partitions of one partition count of the queue. Each change of the
	 * partition count begins a new epoch.
	 *
	 * @param number the number of the epoch, 0 for the first epoch
	 * @param partitions the partition count of the epoch
	 * @param state {@code current}: new messages go to this epoch; {@code older}: the
	 * epoch ends when it is empty; {@code announced}: the epoch becomes the current one
	 * as soon as all consumers read it
	 * @param messages the number of messages in the epoch, dead letters included
	 * @param dead the number of dead letters in the epoch. Dead letters stay in an older
	 * epoch while newer epochs have messages with the same ids: until those end, the dead
	 * letters can be neither redriven nor discarded
	 * @param lastDue when the last scheduled message of the epoch is due, {@code null} if
	 * no message is scheduled
	 */
	public record Epoch(int number, int partitions, String state, long messages, long dead,
			@JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Instant lastDue) {
	}

	/**
	 * A hold of the queue or of a group.
	 *
	 * @param group the group key, {@code null} if the whole queue is held
	 * @param until when the hold ends, by the clock of Redis
	 * @param by the requester of the hold: {@code HANDLER} or {@code OPERATOR}
	 * @param process the process that has stored the hold
	 * @param why the reason of the hold; may be empty
	 */
	public record Hold(@JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String group, Instant until, String by,
			String process, String why) {
	}

	/**
	 * The limits of a queue across all processes.
	 *
	 * @param messages the maximum number of messages in a period, {@code null} without a
	 * rate limit
	 * @param per the period of the rate limit, {@code null} without a rate limit
	 * @param burst the maximum number of messages that are handed to handlers at once,
	 * {@code null} without a rate limit
	 * @param stored whether an operator has set the rate limit; otherwise it comes from
	 * the settings of the process that answers the request
	 * @param maxInFlight the maximum number of messages that are pending at once, from
	 * the settings of the process that answers the request; 0 for any number
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
	 * A partition of the queue.
	 *
	 * @param number the number of the partition in its epoch, from 0
	 * @param counts the counts of the partition
	 * @param parked the number of scheduled messages that are parked
	 * @param owner the name of the member (consuming process) that reclaims, audits and
	 * repairs the partition, {@code null} if no member consumes the queue or the members
	 * cannot be read
	 * @param standby the name of the member that becomes the owner when the owner is no
	 * longer a member, {@code null} if no other member consumes the queue
	 * @param epoch the number of the partition's epoch
	 */
	public record Partition(int number, @JsonUnwrapped Counts counts, long parked,
			@JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String owner,
			@JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String standby, int epoch) {
	}

	/**
	 * Numbers of scheduled messages that are not parked, grouped by due time. Due times
	 * are compared with the clock of Redis. The numbers from {@code withinMinute} to
	 * {@code withinDay} are cumulative. The sum of {@code overdue}, {@code withinDay} and
	 * {@code later} is the number of scheduled messages that are not parked.
	 *
	 * @param overdue the number of messages that are due and not moved to the stream yet
	 * @param withinMinute the number of messages due within a minute
	 * @param within10Minutes the number of messages due within 10 minutes
	 * @param withinHour the number of messages due within an hour
	 * @param withinDay the number of messages due within a day
	 * @param later the number of messages due after more than a day
	 */
	public record Horizon(long overdue, long withinMinute, long within10Minutes, long withinHour, long withinDay,
			long later) {
	}

	/**
	 * A process in the consumer groups of the queue's partitions. Before Redis 7.2 a
	 * process is added with its first message, see
	 * https://github.com/redis/redis/issues/7343
	 *
	 * @param name the name of the process, as in the list of members
	 * @param inFlight the number of messages that are pending with the process
	 * @param oldestIdleMillis the longest idle time of the first 10 pending messages of
	 * each of its consumers, ms; 0 if no message is pending
	 * @param silentMillis the time since the process last received a message, ms; from
	 * Redis 7.2 on, the time since the process last tried to read a message
	 */
	public record Consumer(String name, long inFlight, long oldestIdleMillis, long silentMillis) {
	}

	/**
	 * A listener of the process that answers the request.
	 *
	 * @param id the listener's id
	 * @param running whether the listener was started and has not been stopped since
	 * @param paused whether the listener is paused
	 * @param inFlight the number of messages that the listener handles at this moment
	 * @param concurrency the maximum number of messages that the listener handles at once
	 */
	public record Listener(String id, boolean running, boolean paused, int inFlight, int concurrency) {
	}

	/**
	 * Message counts of a queue or of one partition. The counts of one partition are
	 * taken at one moment. Partitions are counted one after the other, so the counts of a
	 * queue need not add up.
	 *
	 * @param scheduled the number of scheduled messages, due or not, including parked
	 * messages
	 * @param overdue the number of scheduled messages whose due time has passed and that
	 * are not parked
	 * @param ready the number of messages in the stream that are not delivered yet
	 * @param pending the number of messages that are delivered to a consumer and not
	 * acknowledged
	 * @param dead the number of dead letters
	 * @param oldestOverdueMillis for how long the oldest overdue message has been due,
	 * ms; 0 if no message is overdue
	 * @param oldestPendingIdleMillis the longest idle time of the first 100 pending
	 * messages of each partition, ms; 0 if no message is pending
	 * @param nextDue the earliest due time of the scheduled messages, in the past while
	 * messages are overdue; {@code null} if no message is scheduled
	 * @param paused whether any partition is paused
	 * @param pausedSince the earliest time at which a partition was paused, {@code null}
	 * if no partition is paused
	 * @param drainingSince the earliest time at which a partition started draining,
	 * {@code null} if all partitions accept messages
	 * @param held whether any partition is held
	 * @param heldUntil the latest end of the holds of all partitions, {@code null} if no
	 * partition is held
	 * @param heldGroups the number of groups with a hold; some of these holds may have
	 * ended already
	 * @param consumers the number of consumers in the consumer group in Redis, which
	 * differs from the number of members that consume the queue: it includes dead
	 * consumers until they are removed; for a queue the maximum over its partitions,
	 * because each consumer reads every partition. Before Redis 7.2 a consumer is added
	 * to the consumer group with its first message, see
	 * https://github.com/redis/redis/issues/7343
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
