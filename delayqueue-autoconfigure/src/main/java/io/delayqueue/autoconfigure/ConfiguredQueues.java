package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.autoconfigure.DelayQueueProperties.Defaults;
import io.delayqueue.autoconfigure.DelayQueueProperties.Queue;
import io.delayqueue.autoconfigure.GroupProperties.WhenFull;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.GroupOverride;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.queue.RetrySettings;
import org.jspecify.annotations.Nullable;

import org.springframework.util.unit.DataSize;

/**
 * The settings of the queues as configured and checked: a queue's own, else the defaults.
 */
final class ConfiguredQueues implements Queues {

	private static final Queue NOTHING = new Queue(null, null, null, null, null, null, null, null, null, null, null,
			null, null, null, null, null, null);

	private final Defaults defaults;

	private final Map<String, Queue> overrides;

	private final Map<String, QueueSettings> settings = new ConcurrentHashMap<>();

	ConfiguredQueues(Defaults defaults, Map<String, Queue> overrides) {
		this.defaults = defaults;
		this.overrides = Map.copyOf(overrides);
	}

	@Override
	public QueueSettings settings(String queue) {
		return this.settings.computeIfAbsent(queue,
				(name) -> settings(name, this.overrides.getOrDefault(name, NOTHING)));
	}

	private QueueSettings settings(String name, Queue queue) {
		Defaults otherwise = this.defaults;
		DataSize maxPayload = or(queue.maxPayloadSize(), otherwise.maxPayloadSize());
		Duration doneWindow = or(queue.doneWindow(), otherwise.doneWindow());
		return new QueueSettings(name, or(queue.partitions(), otherwise.partitions()),
				or(queue.concurrency(), otherwise.concurrency()),
				or(queue.visibilityTimeout(), otherwise.visibilityTimeout()),
				or(queue.maxDelay(), otherwise.maxDelay()), Math.toIntExact(maxPayload.toBytes()),
				or(queue.doneWindowOfGeneratedIds(), otherwise.doneWindowOfGeneratedIds()), doneWindow, retry(queue),
				groups(queue), expiry(or(queue.expiry(), ExpiryProperties.NOTHING)));
	}

	private GroupSettings groups(Queue queue) {
		GroupProperties own = or(queue.group(), GroupProperties.NOTHING);
		GroupProperties.Defaults otherwise = this.defaults.group();
		Map<String, GroupOverride> overrides = new HashMap<>();
		or(queue.groups(), GroupProperties.Overrides.NONE).overrides()
			.forEach((group, single) -> overrides.put(group,
					new GroupOverride(or(single.weight(), 1), single.concurrency(), or(single.dedicated(), false))));
		return new GroupSettings(or(own.quota(), otherwise.quota()),
				or(own.whenFull(), otherwise.whenFull()) == WhenFull.DROP_OLDEST,
				or(own.countDead(), otherwise.countDead()), or(own.concurrency(), otherwise.concurrency()),
				(own.maxActive() != null) ? own.maxActive() : otherwise.maxActive(), overrides);
	}

	private ExpirySettings expiry(ExpiryProperties own) {
		ExpiryProperties.Defaults otherwise = this.defaults.expiry();
		return new ExpirySettings((own.after() != null) ? own.after() : otherwise.after(),
				or(own.then(), otherwise.then()) == ExpiryProperties.Then.DROP);
	}

	private RetrySettings retry(Queue queue) {
		Defaults otherwise = this.defaults;
		return new RetrySettings(or(queue.maxAttempts(), otherwise.maxAttempts()),
				or(queue.maxCrashes(), otherwise.maxCrashes()), or(queue.maxDefers(), otherwise.maxDefers()),
				or(queue.unreadableAttempts(), otherwise.unreadableAttempts()),
				or(queue.maxProcessingTime(), otherwise.maxProcessingTime()),
				or(queue.backOff(), otherwise.backOff()).toPolicy(),
				or(queue.neverRetried(), otherwise.neverRetried()));
	}

	private static <T> T or(@Nullable T own, T otherwise) {
		return (own != null) ? own : otherwise;
	}

}
