package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of delayed messages.
 *
 * @param enabled Whether to enable delayed messages.
 * @param keyPrefix Prefix of all keys in Redis. Applications that use the same prefix on
 * the same Redis share their queues.
 * @param startupChecks What to do at startup if delayed messages cannot work with Redis:
 * its version is too old, permissions are missing, or the stored partition count of a
 * queue is invalid.
 * @param listener The listeners of this application.
 * @param schedule Scheduling of messages.
 * @param sweeper Settings of the sweeper, which moves due messages to the consumers.
 * @param maintenance Checks and repairs of the keys of the queues.
 * @param health Conditions under which the health component reports a problem.
 * @param tracing Tracing, if the application has a tracer.
 * @param trends Trends of queues, which the dashboard shows.
 * @param defaults Default settings of queues.
 * @param queues Settings of individual queues, by name.
 */
@ConfigurationProperties(prefix = "delayqueue", ignoreUnknownFields = false)
public record DelayQueueProperties(@DefaultValue("true") boolean enabled, @DefaultValue("dq") String keyPrefix,
		@DefaultValue("fail") StartupChecks startupChecks, @DefaultValue Listener listener,
		@DefaultValue Schedule schedule, @DefaultValue Sweeper sweeper, @DefaultValue Maintenance maintenance,
		@DefaultValue Health health, @DefaultValue Tracing tracing, @DefaultValue Trends trends,
		@DefaultValue Defaults defaults, @DefaultValue Map<String, Queue> queues) implements AopInfrastructureBean {

	/** What to do at startup if delayed messages cannot work with Redis. */
	public enum StartupChecks {

		/**
		 * The application does not start. If Redis is unavailable at startup, the
		 * application starts and logs the problems later.
		 */
		FAIL,

		/**
		 * The application starts even if delayed messages cannot work with Redis, and
		 * logs each problem.
		 */
		WARN,

		/** Redis is not checked at startup. */
		OFF

	}

	/**
	 * The listeners of this application.
	 *
	 * @param autoStartup Whether listeners start with the application, unless their
	 * attribute autoStartup is false. Otherwise the application starts them with
	 * DelayedListenerRegistry, for example when it is ready.
	 */
	public record Listener(@DefaultValue("true") boolean autoStartup) {
	}

	/**
	 * Scheduling of messages.
	 *
	 * @param deadline How long the library repeats a call of the application, such as
	 * schedule or cancel, if Redis does not answer; then the call fails.
	 */
	public record Schedule(@DefaultValue("5s") Duration deadline) {
	}

	/**
	 * Settings of the sweeper, which moves due messages to the consumers.
	 *
	 * @param enabled Whether this process sweeps the queues that it consumes. If
	 * disabled, another process must sweep these queues; otherwise their messages are
	 * never delivered.
	 * @param interval Interval at which the sweeper checks a partition for due messages
	 * if no signal or hint causes an earlier check. Processes that consume the same queue
	 * take turns to check its partitions, one second each.
	 * @param batchSize Maximum number of messages that one sweep moves to the stream.
	 * @param highWaterMark Maximum number of undelivered messages in the stream of a
	 * partition; 0 for ten times the concurrency, but at least 1000.
	 */
	public record Sweeper(@DefaultValue("true") boolean enabled, @DefaultValue("1s") Duration interval,
			@DefaultValue("200") int batchSize, @DefaultValue("0") int highWaterMark) {
	}

	/**
	 * Checks and repairs of the keys of the queues.
	 *
	 * @param interval Interval at which every message of the consumed queues is checked.
	 * A message whose keys are damaged is repaired. The counts of each queue are audited
	 * every minute, or at this interval if it is shorter.
	 */
	public record Maintenance(@DefaultValue("5m") Duration interval) {
	}

	/**
	 * Conditions under which the health component reports a problem.
	 *
	 * @param maxOverdue Maximum time for which the oldest message of a consumed queue may
	 * have been due before a handler receives it; 0 for no limit.
	 * @param toleratedOutage How long Redis may be unavailable, or a background activity
	 * may fail, before the health component is DOWN.
	 * @param checkEviction Whether the health component is DOWN if the eviction policy of
	 * Redis permits the eviction of messages.
	 */
	public record Health(@DefaultValue("5m") Duration maxOverdue, @DefaultValue("10s") Duration toleratedOutage,
			@DefaultValue("true") boolean checkEviction) {
	}

	/**
	 * Tracing, if the application has a tracer.
	 *
	 * @param enabled Whether to create spans for scheduling and handling messages.
	 * @param timers Whether the observations that create these spans also record timers,
	 * in addition to the library's meters.
	 */
	public record Tracing(@DefaultValue("true") boolean enabled, @DefaultValue("false") boolean timers) {
	}

	/**
	 * Trends of queues, which the dashboard shows.
	 *
	 * @param enabled Whether this process adds what it counts to the trends of its
	 * queues, so that the dashboard shows the last hour, day and week.
	 */
	public record Trends(@DefaultValue("false") boolean enabled) {
	}

	/**
	 * Default settings of queues; a queue may set other values.
	 *
	 * @param partitions Number of partitions of a new queue. For a queue in use, only a
	 * number higher than all earlier numbers changes the partition count.
	 * @param concurrency Maximum number of messages that a listener handles concurrently
	 * in this process.
	 * @param visibilityTimeout Idle time after which a pending message is reclaimed and
	 * delivered to another consumer.
	 * @param maxDelay Maximum time into the future for which a message may be scheduled.
	 * @param maxPayloadSize Maximum size of a payload.
	 * @param doneWindow How long the id of a finished message is kept if the caller chose
	 * the id. During this time Redis stores no message with the same id.
	 * @param doneWindowOfGeneratedIds How long the id of a finished message is kept if
	 * the library generated the id.
	 * @param maxAttempts Number of failed attempts, including the first one, after which
	 * a message is dead-lettered.
	 * @param maxCrashes Number of crashes of the handling process after which a message
	 * is dead-lettered.
	 * @param maxDefers Maximum number of times that a listener may defer a message.
	 * @param maxHold Maximum time for which a listener may hold (stop the delivery of)
	 * its queue or a group.
	 * @param failureStack Maximum number of characters of the stack trace of a message's
	 * last failure that are stored with the message; 0 for no stack trace.
	 * @param unreadableAttempts Number of attempts after which a message that cannot be
	 * converted is dead-lettered. With a value above 1, a process with a newer version of
	 * the application may still convert the message.
	 * @param timeout Maximum time that a handler may run. After this time the handler is
	 * interrupted, and the attempt fails.
	 * @param backOff Settings of the wait before a message is retried after its handler
	 * failed.
	 * @param neverRetried Exceptions, including their subclasses, after which a message
	 * is dead-lettered without a retry.
	 * @param group Limits of message groups (messages with the same group key).
	 * @param expiry Expiry of messages.
	 * @param rateLimit Maximum number of messages that are handed to handlers in a
	 * period, across all processes. A rate limit that an operator has set takes
	 * precedence over this property.
	 * @param maxInFlight Maximum number of messages that are being handled at the same
	 * time, across all processes. If not set, any number of messages may be handled at
	 * the same time.
	 * @param history Settings of the history, which lists how messages have ended.
	 * @param deadLetterQueue Queue that gets a copy of each dead letter; the original is
	 * then removed from its own queue. If not set, dead letters stay in their queue.
	 */
	public record Defaults(@DefaultValue("1") int partitions, @DefaultValue("10") int concurrency,
			@DefaultValue("30s") Duration visibilityTimeout, @DefaultValue("3650d") Duration maxDelay,
			@DefaultValue("256KB") DataSize maxPayloadSize, @DefaultValue("10s") Duration doneWindowOfGeneratedIds,
			@DefaultValue("2m") Duration doneWindow, @DefaultValue("5") int maxAttempts,
			@DefaultValue("3") int maxCrashes, @DefaultValue("1000") int maxDefers,
			@DefaultValue("1h") Duration maxHold, @DefaultValue("0") int failureStack,
			@DefaultValue("1") int unreadableAttempts, @DefaultValue("1h") Duration timeout,
			@DefaultValue @NestedConfigurationProperty BackOffProperties backOff,
			@DefaultValue Set<Class<?>> neverRetried,
			@DefaultValue @NestedConfigurationProperty GroupProperties.Defaults group,
			@DefaultValue @NestedConfigurationProperty ExpiryProperties.Defaults expiry,
			@NestedConfigurationProperty @Nullable RateLimitProperties rateLimit, @Nullable Integer maxInFlight,
			@NestedConfigurationProperty @Nullable HistoryProperties history, @Nullable String deadLetterQueue) {

		Queue asQueue() {
			return new Queue(this.partitions, this.concurrency, this.visibilityTimeout, this.maxDelay,
					this.maxPayloadSize, this.doneWindowOfGeneratedIds, this.doneWindow, this.maxAttempts,
					this.maxCrashes, this.maxDefers, this.maxHold, this.failureStack, this.unreadableAttempts,
					this.timeout, this.backOff, this.neverRetried, this.group.asGroup(), null, this.expiry.asExpiry(),
					this.rateLimit, this.maxInFlight, this.history, this.deadLetterQueue);
		}

		/**
		 * Returns the settings of a queue: each value is that of the queue, or the
		 * default if the queue does not set it.
		 */
		QueueSettings settings(String name, Queue own) {
			return new QueueSettings(name, or(own.partitions, this.partitions), or(own.concurrency, this.concurrency),
					or(own.visibilityTimeout, this.visibilityTimeout), or(own.maxDelay, this.maxDelay),
					Math.toIntExact(or(own.maxPayloadSize, this.maxPayloadSize).toBytes()),
					or(own.doneWindowOfGeneratedIds, this.doneWindowOfGeneratedIds),
					or(own.doneWindow, this.doneWindow), retry(own), this.group.settings(own.group, own.groups),
					this.expiry.settings(own.expiry), flow(own), ends(name, own));
		}

		private EndSettings ends(String name, Queue own) {
			return HistoryProperties.settings(own.history, this.history,
					HistoryProperties.deadLetterQueue(name, own.deadLetterQueue, this.deadLetterQueue));
		}

		private FlowSettings flow(Queue own) {
			RateLimitProperties rateLimit = (own.rateLimit != null) ? own.rateLimit : this.rateLimit;
			Integer maxInFlight = (own.maxInFlight != null) ? own.maxInFlight : this.maxInFlight;
			return new FlowSettings((rateLimit != null) ? rateLimit.toLimit() : null,
					(maxInFlight != null) ? maxInFlight : 0);
		}

		private RetrySettings retry(Queue own) {
			return new RetrySettings(or(own.maxAttempts, this.maxAttempts), or(own.maxCrashes, this.maxCrashes),
					or(own.maxDefers, this.maxDefers), or(own.unreadableAttempts, this.unreadableAttempts),
					or(own.timeout, this.timeout), or(own.backOff, this.backOff).toPolicy(),
					or(own.neverRetried, this.neverRetried), or(own.maxHold, this.maxHold),
					or(own.failureStack, this.failureStack));
		}

		private static <T> T or(@Nullable T own, T defaultValue) {
			return (own != null) ? own : defaultValue;
		}

	}

	/**
	 * Settings of one queue. Properties that are not set have the values of the defaults.
	 *
	 * @param partitions Number of partitions of the queue. For a queue in use, only a
	 * number higher than all earlier numbers changes the partition count.
	 * @param concurrency Maximum number of messages that a listener handles concurrently
	 * in this process.
	 * @param visibilityTimeout Idle time after which a pending message is reclaimed and
	 * delivered to another consumer.
	 * @param maxDelay Maximum time into the future for which a message may be scheduled.
	 * @param maxPayloadSize Maximum size of a payload.
	 * @param doneWindow How long the id of a finished message is kept if the caller chose
	 * the id. During this time Redis stores no message with the same id.
	 * @param doneWindowOfGeneratedIds How long the id of a finished message is kept if
	 * the library generated the id.
	 * @param maxAttempts Number of failed attempts, including the first one, after which
	 * a message is dead-lettered.
	 * @param maxCrashes Number of crashes of the handling process after which a message
	 * is dead-lettered.
	 * @param maxDefers Maximum number of times that a listener may defer a message.
	 * @param maxHold Maximum time for which a listener may hold (stop the delivery of)
	 * its queue or a group.
	 * @param failureStack Maximum number of characters of the stack trace of a message's
	 * last failure that are stored with the message; 0 for no stack trace.
	 * @param unreadableAttempts Number of attempts after which a message that cannot be
	 * converted is dead-lettered. With a value above 1, a process with a newer version of
	 * the application may still convert the message.
	 * @param timeout Maximum time that a handler may run. After this time the handler is
	 * interrupted, and the attempt fails.
	 * @param backOff Settings of the wait before a message is retried after its handler
	 * failed.
	 * @param neverRetried Exceptions, including their subclasses, after which a message
	 * is dead-lettered without a retry.
	 * @param group Limits of message groups (messages with the same group key).
	 * @param groups Settings of individual groups.
	 * @param expiry Expiry of messages.
	 * @param rateLimit Maximum number of messages that are handed to handlers in a
	 * period, across all processes. A rate limit that an operator has set takes
	 * precedence over this property.
	 * @param maxInFlight Maximum number of messages that are being handled at the same
	 * time, across all processes. If not set, any number of messages may be handled at
	 * the same time.
	 * @param history Settings of the history, which lists how messages have ended.
	 * @param deadLetterQueue Queue that gets a copy of each dead letter; the original is
	 * then removed from its own queue. If not set, dead letters stay in their queue.
	 */
	public record Queue(@Nullable Integer partitions, @Nullable Integer concurrency,
			@Nullable Duration visibilityTimeout, @Nullable Duration maxDelay, @Nullable DataSize maxPayloadSize,
			@Nullable Duration doneWindowOfGeneratedIds, @Nullable Duration doneWindow, @Nullable Integer maxAttempts,
			@Nullable Integer maxCrashes, @Nullable Integer maxDefers, @Nullable Duration maxHold,
			@Nullable Integer failureStack, @Nullable Integer unreadableAttempts, @Nullable Duration timeout,
			@NestedConfigurationProperty @Nullable BackOffProperties backOff, @Nullable Set<Class<?>> neverRetried,
			@NestedConfigurationProperty @Nullable GroupProperties group,
			@NestedConfigurationProperty GroupProperties.@Nullable Overrides groups,
			@NestedConfigurationProperty @Nullable ExpiryProperties expiry,
			@NestedConfigurationProperty @Nullable RateLimitProperties rateLimit, @Nullable Integer maxInFlight,
			@NestedConfigurationProperty @Nullable HistoryProperties history, @Nullable String deadLetterQueue) {

		static final Queue NO_SETTINGS = new Queue(null, null, null, null, null, null, null, null, null, null, null,
				null, null, null, null, null, null, null, null, null, null, null, null);

	}

}
