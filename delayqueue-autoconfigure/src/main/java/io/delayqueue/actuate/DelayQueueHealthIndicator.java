package io.delayqueue.actuate;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.delayqueue.DurationText;
import io.delayqueue.actuate.ConsumedQueues.ConsumedQueue;
import io.delayqueue.actuate.ConsumedQueues.ListenerState;
import io.delayqueue.actuate.EvictionWatch.Policy;
import io.delayqueue.lifecycle.TaskStatus;
import io.delayqueue.observe.QueueStatistics.Stock;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Reports the health of this library in this process. Safe for use by several threads.
 * The status is DOWN while:
 * <ol>
 * <li>{@code failing}: a background activity has ended without being stopped, or all its
 * runs have failed for longer than the tolerated time (10 s). The detail contains the
 * name of the activity, which includes the queue, and the reason of the failure;</li>
 * <li>{@code redis}: Redis has not answered since the start, or has been unavailable for
 * longer than the tolerated time (10 s);</li>
 * <li>{@code late}: the oldest due message of a queue, overdue or ready, has waited for
 * its first delivery for too long (5 min), or the next occurrence of a recurring schedule
 * is more than a minute late and still not stored. The detail contains the queue's name.
 * A queue counts only if a listener of this process is running, neither the listener nor
 * the queue is paused, and the queue is not held. The waiting time counts from the latest
 * of these moments: the start of the listener, the end of the last outage of Redis, the
 * last time at which this process observed the queue as paused, held or delayed by a
 * limit. So handlers have 5 minutes for a backlog that exists when the listener starts.
 * Messages that wait because the stream is full count too, because a full stream means
 * that handlers do not keep up;</li>
 * <li>{@code hanging}: handlers of a listener ran for longer than their timeout and have
 * not ended, although they were interrupted, and the number of their messages exceeds the
 * concurrency of the listener;</li>
 * <li>{@code faults}: this Redis cannot be used for delayed messages. The application
 * runs nevertheless, because Redis was unavailable during the checks at the start, or
 * because these checks are configured to warn only;</li>
 * <li>{@code layouts}: the keys of a partition have the layout of another version of the
 * library, so this process does not use them;</li>
 * <li>{@code eviction}: Redis may evict messages when its memory is full. While the
 * status is UP the detail contains the policy, or "unknown" if INFO is forbidden.</li>
 * </ol>
 * Failures shorter than these limits are not reported, so that the status does not
 * alternate while Redis fails over. The detail {@code queues} contains the states of the
 * listeners and the message counts of their queues.
 *
 * <p>
 * Health checks make at most one call to Redis for each partition in 5 s, and send at
 * most one INFO to each master in a minute. In a process without background activities
 * each health check also sends one PING.
 */
public class DelayQueueHealthIndicator extends AbstractHealthIndicator {

	private static final String STANDSTILL = ": this process delivers no messages until Redis answers; is Redis running, and is"
			+ " spring.data.redis.* its address?";

	private static final Duration RECURRING_LATE = Duration.ofMinutes(1);

	private static final String HANGING = "more handlers of the listener than its concurrency ran for longer than"
			+ " their timeout and have not ended, although they were interrupted, so this process reads no more messages; queues shows"
			+ " their stacks under abandoned: fix the cause and restart";

	private final HealthSettings settings;

	private final Supplier<List<TaskStatus>> activities;

	private final RedisPresence redis;

	private final ConsumedQueues queues;

	private final EvictionWatch eviction;

	/**
	 * Creates the indicator.
	 * @param settings the thresholds of the status DOWN
	 * @param activities returns the status of the background activities of this process
	 * @param redis measures for how long Redis has been unavailable
	 * @param queues reports the queues that have a listener in this process
	 * @param eviction reports whether Redis may evict messages
	 */
	public DelayQueueHealthIndicator(HealthSettings settings, Supplier<List<TaskStatus>> activities,
			RedisPresence redis, ConsumedQueues queues, EvictionWatch eviction) {
		this.settings = settings;
		this.activities = activities;
		this.redis = redis;
		this.queues = queues;
		this.eviction = eviction;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		builder.up();
		List<TaskStatus> statuses = this.activities.get();
		reportFailing(builder, statuses);
		Duration away = this.redis.awayFor(!statuses.isEmpty());
		if (isTooLong(away)) {
			builder.down()
				.withDetail("redis", (away.equals(RedisPresence.FOR_EVER) ? "has not answered since the start"
						: "has not answered for " + away.toSeconds() + " s") + STANDSTILL);
		}
		// While the gate is closed because Redis is unavailable, details come from
		// earlier answers of Redis
		if (away.isZero() || this.redis.isGateClosed()) {
			reportQueues(builder);
			reportEviction(builder);
			reportFaults(builder);
		}
	}

	private void reportFailing(Health.Builder builder, List<TaskStatus> statuses) {
		SortedMap<String, String> failing = new TreeMap<>();
		statuses.forEach((status) -> {
			if (isTooLong(status.failingFor())) {
				failing.put(status.name(),
						"failed " + status.failures() + " times in the last " + status.failingFor().toSeconds()
								+ " s and goes on trying: " + DiagnosticText.reason(status.lastFailure()));
			}
		});
		if (!failing.isEmpty()) {
			builder.down().withDetail("failing", failing);
		}
	}

	private void reportQueues(Health.Builder builder) {
		SortedMap<String, ConsumedQueue> all = this.queues.all();
		SortedMap<String, String> late = new TreeMap<>();
		SortedMap<String, String> hanging = new TreeMap<>();
		Map<String, Object> details = new LinkedHashMap<>();
		Duration longest = this.settings.maxOverdue();
		all.forEach((queue, now) -> {
			details.put(queue, now.details());
			if (now.abandoned().areTooMany()) {
				hanging.put(queue, HANGING);
			}
			Stock stock = now.stock();
			if (stock != null && !longest.isZero() && now.late().compareTo(longest) > 0) {
				late.put(queue,
						"the oldest undelivered message of the queue has been due for "
								+ DurationText.of(stock.overdueAge().truncatedTo(ChronoUnit.SECONDS))
								+ ", longer than delayqueue.health.max-overdue (" + DurationText.of(longest) + "): "
								+ cause(stock));
			}
			else if (stock != null && isRecurringLate(stock, now.recurringLate())) {
				late.put(queue,
						"the next occurrence of a recurring schedule has not been stored for "
								+ DurationText.of(stock.recurringLate().truncatedTo(ChronoUnit.SECONDS))
								+ ": no process advances it; does the log of the partition's owner show a failure?");
			}
		});
		builder.withDetail("queues", details);
		reportLayouts(builder, all);
		if (!late.isEmpty()) {
			builder.down().withDetail("late", late);
		}
		if (!hanging.isEmpty()) {
			builder.down().withDetail("hanging", hanging);
		}
	}

	/**
	 * Reports partitions whose keys have the layout of another library version, if the
	 * listener of their queue is not stopped. Other queues are left out: their callers
	 * get an exception, and without a running listener no check would find that the
	 * layout has changed again.
	 */
	private void reportLayouts(Health.Builder builder, Map<String, ConsumedQueue> queues) {
		SortedMap<String, String> layouts = new TreeMap<>();
		this.redis.foreignLayouts().forEach((partition, problem) -> {
			ConsumedQueue queue = queues.get(partition.queue());
			if (queue != null && queue.listener() != ListenerState.STOPPED) {
				layouts.put(partition.toString(),
						"not used, because its keys have the layout of another version" + " of this library (" + problem
								+ "); stop this process when processes of the other version run");
			}
		});
		if (!layouts.isEmpty()) {
			builder.down().withDetail("layouts", layouts);
		}
	}

	/**
	 * Returns whether the next occurrence of a recurring schedule is late by more than a
	 * minute. After a minute an instant counts as missed.
	 */
	private boolean isRecurringLate(Stock stock, Duration late) {
		Duration longest = this.settings.maxOverdue();
		return !longest.isZero() && stock.recurringLate().compareTo(RECURRING_LATE) > 0
				&& late.compareTo(Collections.min(List.of(longest, RECURRING_LATE))) > 0;
	}

	/**
	 * Suggests a cause of late messages. If messages are ready or pending, handlers do
	 * not keep up; otherwise no sweeper moves due messages.
	 */
	private static String cause(Stock stock) {
		long behind = stock.ready() + stock.pending();
		return (behind > 0)
				? "handlers do not keep up with the " + behind + " messages before it; do they hang, or is the queue's"
						+ " concurrency too low?"
				: "no sweeper is active; is delayqueue.sweeper.enabled false in all processes that handle the queue?";
	}

	private void reportEviction(Health.Builder builder) {
		Policy policy = this.eviction.policy();
		builder.withDetail("eviction", policy.description());
		if (policy.evictsMessages() && this.settings.evictionChecked()) {
			builder.down();
		}
	}

	private void reportFaults(Health.Builder builder) {
		List<String> faults = this.redis.faults();
		if (!faults.isEmpty()) {
			builder.down().withDetail("faults", faults);
		}
	}

	private boolean isTooLong(Duration duration) {
		return duration.compareTo(this.settings.toleratedOutage()) > 0;
	}

}
