package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.delayqueue.BackOffPolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties of delayed messages.
 *
 * @param enabled Whether delayed messages are wired at all.
 * @param keyPrefix What all keys in Redis begin with. Applications with the same prefix
 * on the same Redis share their queues.
 * @param startupChecks What to do about a Redis that delayed messages cannot work with:
 * too old, rights that are missing, queues that hold messages in another number of
 * partitions.
 * @param schedule How messages are scheduled.
 * @param sweeper How due messages are moved to the consumers.
 * @param maintenance How the keys of the queues are looked after.
 * @param health When the health component tells that something is wrong.
 * @param tracing What is traced where the application has a tracer.
 * @param defaults The settings of every queue that has no own ones.
 * @param queues The settings of single queues, by name.
 */
@ConfigurationProperties(prefix = "delayqueue", ignoreUnknownFields = false)
public record DelayQueueProperties(@DefaultValue("true") boolean enabled, @DefaultValue("dq") String keyPrefix,
		@DefaultValue("fail") StartupChecks startupChecks, @DefaultValue Schedule schedule,
		@DefaultValue Sweeper sweeper, @DefaultValue Maintenance maintenance, @DefaultValue Health health,
		@DefaultValue Tracing tracing, @DefaultValue Defaults defaults, @DefaultValue Map<String, Queue> queues) {

	/** What to do about a Redis that delayed messages cannot work with. */
	public enum StartupChecks {

		/** The application does not start, unless Redis is away when it does. */
		FAIL,

		/** The application starts, and says in its log what is wrong. */
		WARN,

		/** Nothing is looked at. */
		OFF

	}

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
	 * How the keys of the queues are looked after.
	 *
	 * @param interval How often every message of a queue that is consumed is looked at
	 * and put right if its keys were damaged. That the counts add up is looked at every
	 * minute, or in this interval if it is shorter.
	 */
	public record Maintenance(@DefaultValue("5m") Duration interval) {
	}

	/**
	 * When the health component tells that something is wrong.
	 *
	 * @param maxOverdue For how long the oldest message of a queue that this process
	 * consumes may have been due without a handler having had it; 0 for any time.
	 * @param toleratedOutage For how long Redis may be away, or a background activity
	 * fail, before health tells.
	 * @param checkEviction Whether an eviction policy that may take messages counts.
	 */
	public record Health(@DefaultValue("5m") Duration maxOverdue, @DefaultValue("10s") Duration toleratedOutage,
			@DefaultValue("true") boolean checkEviction) {
	}

	/**
	 * What is traced where the application has a tracer.
	 *
	 * @param enabled Whether there are spans for scheduling and handling messages.
	 * @param timers Whether the observations behind these spans are timed as well, beside
	 * the meters that there are.
	 */
	public record Tracing(@DefaultValue("true") boolean enabled, @DefaultValue("false") boolean timers) {
	}

	/**
	 * The settings of every queue that has no own ones.
	 *
	 * @param partitions How many partitions a queue has. Cannot be changed while the
	 * queue holds messages, dead letters too.
	 * @param concurrency How many messages a listener handles at once in this process.
	 * @param visibilityTimeout After which silence of its consumer a pending message is
	 * given to another one.
	 * @param maxDelay The longest time ahead that a message may be scheduled for.
	 * @param maxPayloadSize The largest payload.
	 * @param doneWindow For how long a finished message is remembered if its id was given
	 * by the caller; within it the id is not stored again.
	 * @param doneWindowOfGeneratedIds For how long a finished message is remembered if
	 * its id was generated.
	 * @param maxAttempts After how many failures a message is set aside; the first
	 * attempt counts.
	 * @param maxCrashes After how many crashes of its process a message is set aside.
	 * @param maxDefers How often a message may be deferred by its listener.
	 * @param unreadableAttempts After how many attempts a message that cannot be
	 * converted is set aside; more than 1 gives a newer version of the application a
	 * chance.
	 * @param maxProcessingTime For how long a handler may run before its lease is no
	 * longer renewed.
	 * @param backOff How long to wait before a message whose handler failed is tried
	 * again.
	 * @param neverRetried Exceptions, with their subclasses, that set a message aside at
	 * once.
	 * @param group How groups are bounded.
	 * @param expiry Until when messages may be handled.
	 */
	public record Defaults(@DefaultValue("1") int partitions, @DefaultValue("10") int concurrency,
			@DefaultValue("30s") Duration visibilityTimeout, @DefaultValue("3650d") Duration maxDelay,
			@DefaultValue("256KB") DataSize maxPayloadSize, @DefaultValue("10s") Duration doneWindowOfGeneratedIds,
			@DefaultValue("2m") Duration doneWindow, @DefaultValue("5") int maxAttempts,
			@DefaultValue("3") int maxCrashes, @DefaultValue("1000") int maxDefers,
			@DefaultValue("1") int unreadableAttempts, @DefaultValue("1h") Duration maxProcessingTime,
			@DefaultValue BackOff backOff, @DefaultValue Set<Class<?>> neverRetried,
			@DefaultValue @NestedConfigurationProperty GroupProperties.Defaults group,
			@DefaultValue @NestedConfigurationProperty ExpiryProperties.Defaults expiry) {

		Queue asQueue() {
			return new Queue(this.partitions, this.concurrency, this.visibilityTimeout, this.maxDelay,
					this.maxPayloadSize, this.doneWindowOfGeneratedIds, this.doneWindow, this.maxAttempts,
					this.maxCrashes, this.maxDefers, this.unreadableAttempts, this.maxProcessingTime, this.backOff,
					this.neverRetried, this.group.asGroup(), null, this.expiry.asExpiry());
		}

	}

	/**
	 * The settings of one queue; what is not set is as in the defaults.
	 *
	 * @param partitions How many partitions the queue has. Cannot be changed while the
	 * queue holds messages, dead letters too.
	 * @param concurrency How many messages a listener handles at once in this process.
	 * @param visibilityTimeout After which silence of its consumer a pending message is
	 * given to another one.
	 * @param maxDelay The longest time ahead that a message may be scheduled for.
	 * @param maxPayloadSize The largest payload.
	 * @param doneWindow For how long a finished message is remembered if its id was given
	 * by the caller; within it the id is not stored again.
	 * @param doneWindowOfGeneratedIds For how long a finished message is remembered if
	 * its id was generated.
	 * @param maxAttempts After how many failures a message is set aside; the first
	 * attempt counts.
	 * @param maxCrashes After how many crashes of its process a message is set aside.
	 * @param maxDefers How often a message may be deferred by its listener.
	 * @param unreadableAttempts After how many attempts a message that cannot be
	 * converted is set aside; more than 1 gives a newer version of the application a
	 * chance.
	 * @param maxProcessingTime For how long a handler may run before its lease is no
	 * longer renewed.
	 * @param backOff How long to wait before a message whose handler failed is tried
	 * again.
	 * @param neverRetried Exceptions, with their subclasses, that set a message aside at
	 * once.
	 * @param group How groups are bounded.
	 * @param groups What is set for single groups.
	 * @param expiry Until when messages may be handled.
	 */
	public record Queue(@Nullable Integer partitions, @Nullable Integer concurrency,
			@Nullable Duration visibilityTimeout, @Nullable Duration maxDelay, @Nullable DataSize maxPayloadSize,
			@Nullable Duration doneWindowOfGeneratedIds, @Nullable Duration doneWindow, @Nullable Integer maxAttempts,
			@Nullable Integer maxCrashes, @Nullable Integer maxDefers, @Nullable Integer unreadableAttempts,
			@Nullable Duration maxProcessingTime, @Nullable BackOff backOff, @Nullable Set<Class<?>> neverRetried,
			@NestedConfigurationProperty @Nullable GroupProperties group,
			@NestedConfigurationProperty GroupProperties.@Nullable Overrides groups,
			@NestedConfigurationProperty @Nullable ExpiryProperties expiry) {
	}

	/**
	 * How long to wait before a message whose handler failed is tried again. A queue that
	 * sets any of it sets all of it.
	 *
	 * @param delays The waits one by one; the last one holds for all later failures. Not
	 * set to compute them.
	 * @param first The first wait.
	 * @param step What is added each time.
	 * @param multiplier What each wait is multiplied by.
	 * @param max The longest wait.
	 * @param jitter The share by which a wait may be shorter or longer, from 0 to 1.
	 */
	public record BackOff(@Nullable List<Duration> delays, @DefaultValue("1s") Duration first,
			@DefaultValue("0s") Duration step, @DefaultValue("2") double multiplier, @DefaultValue("10m") Duration max,
			@DefaultValue("0.2") double jitter) {

		BackOffPolicy toPolicy() {
			return new BackOffPolicy((this.delays != null) ? this.delays : List.of(), this.first, this.step,
					this.multiplier, this.max, this.jitter);
		}

	}

}
