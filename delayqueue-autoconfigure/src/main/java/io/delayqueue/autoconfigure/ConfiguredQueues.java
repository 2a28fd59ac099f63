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
 * Settings of the queues, from validated properties: a queue's own value, or else the
 * default.
 */
final class ConfiguredQueues implements Queues {

	private static final Queue NO_SETTINGS = new Queue(null, null, null, null, null, null, null, null, null, null, null,
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
				(name) -> settings(name, this.overrides.getOrDefault(name, NO_SETTINGS)));
	}

	private QueueSettings settings(String name, Queue queue) {
		Defaults defaults = this.defaults;
		DataSize maxPayload = or(queue.maxPayloadSize(), defaults.maxPayloadSize());
		Duration doneWindow = or(queue.doneWindow(), defaults.doneWindow());
		return new QueueSettings(name, or(queue.partitions(), defaults.partitions()),
				or(queue.concurrency(), defaults.concurrency()),
				or(queue.visibilityTimeout(), defaults.visibilityTimeout()), or(queue.maxDelay(), defaults.maxDelay()),
				Math.toIntExact(maxPayload.toBytes()),
				or(queue.doneWindowOfGeneratedIds(), defaults.doneWindowOfGeneratedIds()), doneWindow, retry(queue),
				groups(queue), expiry(or(queue.expiry(), ExpiryProperties.NOTHING)));
	}

	private GroupSettings groups(Queue queue) {
		GroupProperties own = or(queue.group(), GroupProperties.NOTHING);
		GroupProperties.Defaults defaults = this.defaults.group();
		Map<String, GroupOverride> overrides = new HashMap<>();
		or(queue.groups(), GroupProperties.Overrides.NONE).overrides()
			.forEach((group, single) -> overrides.put(group,
					new GroupOverride(or(single.weight(), 1), single.concurrency(), or(single.dedicated(), false))));
		return new GroupSettings(or(own.quota(), defaults.quota()),
				or(own.whenFull(), defaults.whenFull()) == WhenFull.DROP_OLDEST,
				or(own.countDead(), defaults.countDead()), or(own.concurrency(), defaults.concurrency()),
				(own.maxActive() != null) ? own.maxActive() : defaults.maxActive(), overrides);
	}

	private ExpirySettings expiry(ExpiryProperties own) {
		ExpiryProperties.Defaults defaults = this.defaults.expiry();
		return new ExpirySettings((own.after() != null) ? own.after() : defaults.after(),
				or(own.then(), defaults.then()) == ExpiryProperties.Then.DROP);
	}

	private RetrySettings retry(Queue queue) {
		Defaults defaults = this.defaults;
		return new RetrySettings(or(queue.maxAttempts(), defaults.maxAttempts()),
				or(queue.maxCrashes(), defaults.maxCrashes()), or(queue.maxDefers(), defaults.maxDefers()),
				or(queue.unreadableAttempts(), defaults.unreadableAttempts()),
				or(queue.maxProcessingTime(), defaults.maxProcessingTime()),
				or(queue.backOff(), defaults.backOff()).toPolicy(), or(queue.neverRetried(), defaults.neverRetried()));
	}

	private static <T> T or(@Nullable T own, T defaultValue) {
		return (own != null) ? own : defaultValue;
	}

}
