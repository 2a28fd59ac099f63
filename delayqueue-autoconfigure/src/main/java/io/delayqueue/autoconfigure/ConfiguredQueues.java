package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

import io.delayqueue.autoconfigure.DelayQueueProperties.Defaults;
import io.delayqueue.autoconfigure.DelayQueueProperties.Queue;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.queue.RetrySettings;
import org.jspecify.annotations.Nullable;

import org.springframework.util.unit.DataSize;

/**
 * The settings of the queues as configured. All of them are checked at once.
 */
final class ConfiguredQueues implements Queues {

	private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

	private static final Queue NOTHING = new Queue(null, null, null, null, null, null, null, null, null, null, null,
			null, null, null);

	private final Defaults defaults;

	private final Map<String, Queue> overrides;

	private final Map<String, QueueSettings> settings = new ConcurrentHashMap<>();

	/**
	 * @throws InvalidConfigurationException if a setting is out of its bounds
	 */
	ConfiguredQueues(Defaults defaults, Map<String, Queue> overrides) {
		this.defaults = defaults;
		this.overrides = Map.copyOf(overrides);
		List<String> faults = new ArrayList<>();
		check(faults, "(delayqueue.defaults)", NOTHING);
		overrides.forEach((name, queue) -> {
			if (!NAME.matcher(name).matches()) {
				faults.add("delayqueue.queues." + name + ": a queue's name must be 1 to 100 characters of"
						+ " [A-Za-z0-9._-], the first one a letter or a digit; put names with dots into brackets,"
						+ " as in delayqueue.queues.[a.b]");
			}
			check(faults, name, queue);
		});
		if (!faults.isEmpty()) {
			throw new InvalidConfigurationException(faults);
		}
	}

	@Override
	public QueueSettings settings(String queue) {
		return this.settings.computeIfAbsent(queue,
				(name) -> settings(name, this.overrides.getOrDefault(name, NOTHING)));
	}

	private void check(List<String> faults, String name, Queue queue) {
		try {
			settings(name, queue);
		}
		catch (IllegalArgumentException fault) {
			faults.add(String.valueOf(fault.getMessage()));
		}
	}

	private QueueSettings settings(String name, Queue queue) {
		Defaults otherwise = this.defaults;
		DataSize maxPayload = or(queue.maxPayloadSize(), otherwise.maxPayloadSize());
		Duration doneWindow = or(queue.doneWindow(), otherwise.doneWindow());
		return new QueueSettings(name, or(queue.partitions(), otherwise.partitions()),
				or(queue.concurrency(), otherwise.concurrency()),
				or(queue.visibilityTimeout(), otherwise.visibilityTimeout()),
				or(queue.maxDelay(), otherwise.maxDelay()),
				(int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, maxPayload.toBytes())),
				or(queue.doneWindowOfGeneratedIds(), otherwise.doneWindowOfGeneratedIds()), doneWindow, retry(queue));
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
