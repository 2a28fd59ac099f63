package io.delayqueue.actuate;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * One queue with its partitions, what comes, and who consumes it.
 *
 * @param name its name
 * @param counts what all of its partitions hold
 * @param parked of the scheduled ones, those that are due and wait because their group is
 * at its limit
 * @param horizon when what waits will be due
 * @param partitions each partition, in the order of their numbers
 * @param consumerDetails the consumers of all processes, those first that have most; of
 * each partition at most the 100 that have most there
 * @param listeners the listeners of the process that answers, {@code null} where there
 * can be none
 */
public record QueueDescriptor(String name, @JsonUnwrapped Counts counts, long parked, Horizon horizon,
		List<Partition> partitions, List<Consumer> consumerDetails,
		@Nullable List<Listener> listeners) implements OperationResponseBody {

	/**
	 * A partition.
	 *
	 * @param number its number, from 0
	 * @param counts what it holds
	 * @param parked of the scheduled ones, those that are parked
	 */
	public record Partition(int number, @JsonUnwrapped Counts counts, long parked) {
	}

	/**
	 * When scheduled messages that are not parked will be due, by the clock of Redis.
	 * Each number has those before it in it, except for {@code overdue} and
	 * {@code later}: overdue, within a day and later together are all of them.
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
	 * A consumer, which is a member of the consumer group of each partition.
	 *
	 * @param name its name: host, process id and some characters that tell its starts
	 * apart
	 * @param inFlight how many messages it has
	 * @param oldestIdleMillis the longest silence about a message that it has, ms, of the
	 * first 10 of a partition; 0 if it has none
	 * @param silentMillis for how long it has neither taken a message nor, from Redis 7.2
	 * on, asked for one, ms
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
	 * @param concurrency how many it handles at most
	 */
	public record Listener(String id, boolean running, boolean paused, int inFlight, int concurrency) {
	}

}
