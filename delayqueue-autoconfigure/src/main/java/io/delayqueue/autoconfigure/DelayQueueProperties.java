package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties of delayed messages.
 *
 * @param enabled Whether delayed messages are wired at all.
 * @param keyPrefix What all keys in Redis begin with. Applications with the same prefix
 * on the same Redis share their queues.
 * @param schedule How messages are scheduled.
 * @param sweeper How due messages are moved to the consumers.
 * @param defaults The settings of every queue that has no own ones.
 * @param queues The settings of single queues, by name.
 */
@ConfigurationProperties("delayqueue")
public record DelayQueueProperties(@DefaultValue("true") boolean enabled, @DefaultValue("dq") String keyPrefix,
		@DefaultValue Schedule schedule, @DefaultValue Sweeper sweeper, @DefaultValue Defaults defaults,
		@DefaultValue Map<String, Queue> queues) {

	/**
	 * How messages are scheduled.
	 *
	 * @param deadline For how long a call that gets no answer from Redis is repeated
	 * before it fails.
	 */
	public record Schedule(@DefaultValue("5s") Duration deadline) {
	}

	/**
	 * How due messages are moved to the consumers.
	 *
	 * @param enabled Whether this process sweeps the queues that it consumes. Without it
	 * another process has to.
	 * @param interval How often a partition is looked at when no signal or hint asks for
	 * it.
	 * @param batchSize The most messages that one script moves.
	 * @param highWaterMark How many undelivered messages a partition's stream may hold; 0
	 * for ten times the concurrency, at least 1000.
	 */
	public record Sweeper(@DefaultValue("true") boolean enabled, @DefaultValue("1s") Duration interval,
			@DefaultValue("200") int batchSize, @DefaultValue("0") int highWaterMark) {
	}

	/**
	 * The settings of every queue that has no own ones.
	 *
	 * @param partitions How many partitions a queue has. Cannot be changed while the
	 * queue holds messages.
	 * @param concurrency How many messages a listener handles at once in this process.
	 * @param visibilityTimeout After which silence of its consumer a pending message is
	 * given to another one.
	 * @param maxDelay The longest time ahead that a message may be scheduled for.
	 * @param maxPayloadSize The largest payload.
	 * @param doneWindowOfGeneratedIds For how long a finished message is remembered if
	 * its id was generated.
	 * @param doneWindow For how long a finished message is remembered if its id was given
	 * by the caller; within it the id is not stored again.
	 */
	public record Defaults(@DefaultValue("1") int partitions, @DefaultValue("10") int concurrency,
			@DefaultValue("30s") Duration visibilityTimeout, @DefaultValue("3650d") Duration maxDelay,
			@DefaultValue("256KB") DataSize maxPayloadSize, @DefaultValue("10s") Duration doneWindowOfGeneratedIds,
			@DefaultValue("2m") Duration doneWindow) {
	}

	/**
	 * The settings of one queue; what is not set is as in the defaults.
	 *
	 * @param partitions How many partitions the queue has. Cannot be changed while the
	 * queue holds messages.
	 * @param concurrency How many messages a listener handles at once in this process.
	 * @param visibilityTimeout After which silence of its consumer a pending message is
	 * given to another one.
	 * @param maxDelay The longest time ahead that a message may be scheduled for.
	 * @param maxPayloadSize The largest payload.
	 * @param doneWindowOfGeneratedIds For how long a finished message is remembered if
	 * its id was generated.
	 * @param doneWindow For how long a finished message is remembered if its id was given
	 * by the caller; within it the id is not stored again.
	 */
	public record Queue(@Nullable Integer partitions, @Nullable Integer concurrency,
			@Nullable Duration visibilityTimeout, @Nullable Duration maxDelay, @Nullable DataSize maxPayloadSize,
			@Nullable Duration doneWindowOfGeneratedIds, @Nullable Duration doneWindow) {
	}

}
