package io.delayqueue.actuate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import io.delayqueue.actuate.ConsumedQueues.ConsumedQueue;
import io.delayqueue.actuate.ConsumedQueues.ListenerState;
import io.delayqueue.actuate.EvictionWatch.Policy;
import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.observe.QueueStatistics.Stock;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.ServerFaults;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Whether this process can do its part. Safe for use by several threads. It is DOWN
 * while:
 * <ol>
 * <li>a background activity has ended without being stopped, or has done nothing but fail
 * for longer than tolerated (10 s): {@code failing} names each, with its queue in its
 * name, and the reason;</li>
 * <li>Redis has been away for that long, or was never there: {@code redis};</li>
 * <li>the oldest message of a queue that is due and that no handler has had, overdue or
 * ready, has waited too long (5 min): {@code late} names the queue. Only queues count
 * that a listener of this process handles: no queue that nobody handles here, whose
 * listener was not started, was stopped or is paused, or that is paused as a whole. Only
 * that time counts in which this process could have worked on the queue: not before its
 * listener started, not while Redis was away, not while a pause was seen. A backlog that
 * it meets at its start therefore has that long to go. Messages that wait behind a full
 * stream count: they are late because handlers do not keep up;</li>
 * <li>more handlers of a listener than its concurrency were abandoned, because they ran
 * for longer than {@code max-processing-time}, and have not ended: {@code hanging};</li>
 * <li>delayed messages cannot work with this Redis, which the checks of the start found
 * after it, because Redis was away then or they only warn: {@code faults};</li>
 * <li>another version of the library has laid out the keys of a partition that it should
 * work on, so that it leaves them alone: {@code layouts};</li>
 * <li>Redis may throw messages away when its memory is full: {@code eviction}, which also
 * tells the policy while all is well, and that it is unknown where INFO is
 * forbidden.</li>
 * </ol>
 * What passes sooner is not told, so that health does not flap while Redis fails over.
 * {@code queues} shows what the listeners do and what their queues hold.
 *
 * <p>
 * A call costs no more than one call to Redis for each partition in 5 s and one INFO a
 * minute; where nothing runs in the background, also one PING.
 */
public final class DelayQueueHealthIndicator extends AbstractHealthIndicator {

	private static final String STANDSTILL = ": no queue of this process moves until it does; is it running, and is"
			+ " spring.data.redis.* its address?";

	private static final String HANGING = "more of its handlers than its concurrency ran for longer than"
			+ " max-processing-time and have not ended, so that nothing more is read in this process; queues shows"
			+ " under abandoned where they are: mend what they wait for and restart";

	private final HealthSettings settings;

	private final LoopRegistry activities;

	private final RedisGate gate;

	private final RedisPresence redis;

	private final ConsumedQueues queues;

	private final EvictionWatch eviction;

	/**
	 * Creates the indicator.
	 * @param settings when to tell
	 * @param activities the background activities of this process
	 * @param server how Redis is reached, and what is wrong with it
	 * @param queues the queues of this process
	 * @param eviction knows whether messages may be thrown away
	 */
	public DelayQueueHealthIndicator(HealthSettings settings, LoopRegistry activities, Server server,
			ConsumedQueues queues, EvictionWatch eviction) {
		this(settings, activities, server.gate(), new RedisPresence(server.gate(), server.calls()::answers,
				server.faults()::faults, server.calls()::foreignLayouts), queues, eviction);
	}

	/**
	 * How Redis is reached, and what is wrong with it.
	 *
	 * @param gate the gate to Redis
	 * @param calls the way to Redis
	 * @param faults why delayed messages cannot work with it
	 */
	public record Server(RedisGate gate, RedisCalls calls, ServerFaults faults) {
	}

	DelayQueueHealthIndicator(HealthSettings settings, LoopRegistry activities, RedisGate gate, RedisPresence redis,
			ConsumedQueues queues, EvictionWatch eviction) {
		this.settings = settings;
		this.activities = activities;
		this.gate = gate;
		this.redis = redis;
		this.queues = queues;
		this.eviction = eviction;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		builder.up();
		List<LoopStatus> statuses = this.activities.statuses();
		reportFailing(builder, statuses);
		Duration away = this.redis.awayFor(!statuses.isEmpty());
		if (isTooLong(away)) {
			builder.down()
				.withDetail("redis", (away.equals(RedisPresence.FOR_EVER) ? "has not answered since the start"
						: "has not answered for " + away.toSeconds() + " s") + STANDSTILL);
		}
		// While the gate is closed, what follows goes by what was known before
		if (away.isZero() || !this.gate.isOpen()) {
			reportQueues(builder);
			reportEviction(builder);
			reportFaults(builder);
		}
	}

	private void reportFailing(Health.Builder builder, List<LoopStatus> statuses) {
		SortedMap<String, String> failing = new TreeMap<>();
		statuses.forEach((status) -> {
			if (!status.alive()) {
				failing.put(status.name(),
						"ended without being stopped: its queue stands still in this process; restart it");
			}
			else if (isTooLong(status.failingFor())) {
				failing.put(status.name(),
						"failed " + status.failures() + " times in the last " + status.failingFor().toSeconds()
								+ " s and goes on trying: " + DetailText.reason(status.lastFailure()));
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
						"its oldest message that no handler has had has been due for " + stock.overdueAge().toSeconds()
								+ " s, longer than delayqueue.health.max-overdue (" + longest.toSeconds() + " s): "
								+ cause(stock));
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
	 * Who only schedules is told by the exception that he gets. Where the listener is
	 * stopped nobody asks whether the layout is still another one.
	 */
	private void reportLayouts(Health.Builder builder, Map<String, ConsumedQueue> queues) {
		SortedMap<String, String> layouts = new TreeMap<>();
		this.redis.foreignLayouts().forEach((partition, said) -> {
			ConsumedQueue queue = queues.get(partition.queue());
			if (queue != null && queue.listener() != ListenerState.STOPPED) {
				layouts.put(partition.toString(), "left alone, as another version of this library has laid out its"
						+ " keys (" + said + "); stop this process once those of the other version run");
			}
		});
		if (!layouts.isEmpty()) {
			builder.down().withDetail("layouts", layouts);
		}
	}

	/** The sweeper stops where a stream is full, and only there. */
	private static String cause(Stock stock) {
		long behind = stock.ready() + stock.pending();
		return (behind > 0)
				? "handlers do not keep up with the " + behind + " before it; do they hang, or is the queue's"
						+ " concurrency too low?"
				: "nobody sweeps; is delayqueue.sweeper.enabled false in all processes that handle the queue?";
	}

	private void reportEviction(Health.Builder builder) {
		Policy policy = this.eviction.policy();
		builder.withDetail("eviction", policy.words());
		if (policy.takesMessages() && this.settings.evictionChecked()) {
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
