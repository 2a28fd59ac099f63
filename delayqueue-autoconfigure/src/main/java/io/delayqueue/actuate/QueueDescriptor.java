package io.delayqueue.actuate;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A queue with its partitions, upcoming due times and consumers.
 *
 * @param name its name
 * @param counts the counts of all its partitions
 * @param parked the scheduled messages that are due and kept aside because their group is
 * at its limit
 * @param horizon when scheduled messages will be due
 * @param partitions the partitions, by number
 * @param consumerDetails the consumers of all processes, by descending number of
 * messages; at most the first 100 of each partition
 * @param listeners the listeners of the answering process, {@code null} if it cannot have
 * any
 */
public record QueueDescriptor(String name, @JsonUnwrapped Counts counts, long parked, Horizon horizon,
		List<Partition> partitions, List<Consumer> consumerDetails,
		@Nullable List<Listener> listeners) implements OperationResponseBody {

	/**
	 * A partition.
	 *
	 * @param number its number, from 0
	 * @param counts its counts
	 * @param parked the scheduled messages that are parked
	 */
	public record Partition(int number, @JsonUnwrapped Counts counts, long parked) {
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
	 * @param silentMillis for how long it has received no message nor, from Redis 7.2 on,
	 * tried to read one, ms
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

}
