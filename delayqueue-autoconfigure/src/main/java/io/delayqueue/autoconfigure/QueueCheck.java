package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.autoconfigure.DelayQueueProperties.Queue;
import io.delayqueue.autoconfigure.GroupProperties.Single;
import io.delayqueue.autoconfigure.GroupProperties.WhenFull;
import io.delayqueue.queue.Bounds;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupOverride;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import org.jspecify.annotations.Nullable;

/**
 * Checks the settings of queues and of their groups. An invalid default is reported once,
 * not for each queue that uses the default.
 */
final class QueueCheck {

	/**
	 * A call to schedule a message, with all its repetitions, ends within this multiple
	 * of the deadline.
	 */
	private static final int MARGIN = 2;

	private static final String NAME_RULE = "1 to 100 characters of [A-Za-z0-9._-], the first one a letter or a digit";

	private static final Duration ANY_WAIT = Duration.ofSeconds(1);

	private final ConfigurationFaults faults;

	private final Duration deadline;

	/**
	 * Creates a check.
	 * @param faults collects the faults
	 * @param deadline how long an unanswered call that schedules a message is repeated
	 */
	QueueCheck(ConfigurationFaults faults, Duration deadline) {
		this.faults = faults;
		this.deadline = deadline;
	}

	/**
	 * Checks the settings of all queues.
	 * @param defaults the default settings
	 * @param queues the settings of individual queues, by name
	 */
	void checkAll(Queue defaults, Map<String, Queue> queues) {
		check("delayqueue.defaults", defaults);
		// The default of a group property that requires a quota, such as when-full, is
		// valid if at least one queue has a quota
		group("delayqueue.defaults.group", defaults.group(), hasQuota(defaults.group())
				|| queues.values().stream().map(Queue::group).anyMatch(QueueCheck::hasQuota));
		queues.forEach((name, queue) -> checkNamed(name, queue, defaults));
		new DeadLetterQueueCheck(this.faults).check(defaults, queues);
	}

	private void checkNamed(String name, Queue queue, Queue defaults) {
		String path = "delayqueue.queues." + PropertyText.name(name);
		try {
			MessageKey.of(name, "any");
		}
		catch (InvalidMessageException broken) {
			this.faults.add("a name under delayqueue.queues", name, "must be " + NAME_RULE,
					"Rename " + path + ": a queue's name is " + NAME_RULE);
		}
		check(path, queue);
		GroupProperties group = queue.group();
		group(path + ".group", group, hasQuota((group != null && group.quota() != null) ? group : defaults.group()));
		if (queue.groups() != null) {
			overrides(path + ".groups.overrides", queue.groups().overrides());
		}
	}

	private void check(String path, Queue queue) {
		this.faults.check(path + ".partitions", queue.partitions(), QueueSettings.PARTITIONS);
		this.faults.check(path + ".concurrency", queue.concurrency(), QueueSettings.CONCURRENCY);
		this.faults.check(path + ".visibility-timeout", queue.visibilityTimeout(), QueueSettings.VISIBILITY_TIMEOUT);
		this.faults.check(path + ".max-delay", queue.maxDelay(), QueueSettings.MAX_DELAY);
		this.faults.check(path + ".max-payload-size", queue.maxPayloadSize(), QueueSettings.MAX_PAYLOAD_SIZE);
		window(path + ".done-window-of-generated-ids", queue.doneWindowOfGeneratedIds(),
				QueueSettings.DONE_WINDOW_OF_GENERATED_IDS);
		window(path + ".done-window", queue.doneWindow(), QueueSettings.DONE_WINDOW);
		this.faults.check(path + ".max-attempts", queue.maxAttempts(), RetrySettings.MAX_ATTEMPTS);
		this.faults.check(path + ".max-crashes", queue.maxCrashes(), RetrySettings.MAX_CRASHES);
		this.faults.check(path + ".max-defers", queue.maxDefers(), RetrySettings.MAX_DEFERS);
		this.faults.check(path + ".max-hold", queue.maxHold(), RetrySettings.MAX_HOLD);
		this.faults.check(path + ".failure-stack", queue.failureStack(), RetrySettings.FAILURE_STACK);
		this.faults.check(path + ".unreadable-attempts", queue.unreadableAttempts(), RetrySettings.UNREADABLE_ATTEMPTS);
		this.faults.check(path + ".timeout", queue.timeout(), RetrySettings.TIMEOUT);
		if (queue.backOff() != null) {
			backOff(path + ".back-off", queue.backOff());
		}
		if (queue.neverRetried() != null) {
			queue.neverRetried()
				.stream()
				.filter((type) -> !Throwable.class.isAssignableFrom(type))
				.forEach((type) -> this.faults.add(path + ".never-retried", type.getName(), "must name exceptions",
						"List only exceptions in " + path + ".never-retried"));
		}
		if (queue.expiry() != null) {
			this.faults.check(path + ".expiry.after", queue.expiry().after(), ExpirySettings.AFTER);
		}
		rateLimit(path, queue.rateLimit());
		this.faults.check(path + ".max-in-flight", queue.maxInFlight(), FlowSettings.MAX_IN_FLIGHT);
		if (queue.history() != null) {
			queue.history().check(this.faults, path + ".history");
		}
	}

	private void rateLimit(String path, @Nullable RateLimitProperties rateLimit) {
		if (rateLimit != null) {
			rateLimit.check(this.faults, path + ".rate-limit");
		}
	}

	/**
	 * Checks that Redis keeps the ids of finished messages for longer than the library
	 * repeats a call to schedule. Otherwise a repetition could store a message again
	 * after a handler has finished it.
	 */
	private void window(String property, @Nullable Duration window, Bounds<Duration> bounds) {
		Duration least = this.deadline.multipliedBy(MARGIN);
		if (this.faults.check(property, window, bounds) && window != null && window.compareTo(least) < 0) {
			this.faults.add(property, window,
					"must be at least " + PropertyText.of(least)
							+ ", twice delayqueue.schedule.deadline, so that a repeated call finds its id",
					"Set " + property + " to " + PropertyText.of(least)
							+ " or more, or delayqueue.schedule.deadline to "
							+ PropertyText.of(window.dividedBy(MARGIN)) + " or less");
		}
	}

	/**
	 * Checks each property of a back-off separately, because {@link BackOffPolicy}
	 * reports only its first invalid argument.
	 */
	private void backOff(String path, BackOffProperties set) {
		List<Duration> delays = set.delays();
		if (delays != null) {
			part(path + ".delays", delays, () -> BackOffPolicy.delays(delays));
		}
		boolean first = part(path + ".first", set.first(), () -> BackOffPolicy.fixed(set.first()));
		part(path + ".step", set.step(), () -> BackOffPolicy.linear(ANY_WAIT, set.step()));
		part(path + ".multiplier", set.multiplier(),
				() -> BackOffPolicy.exponential(ANY_WAIT, set.multiplier(), ANY_WAIT));
		part(path + ".max", set.max(),
				() -> BackOffPolicy.exponential(first ? set.first() : Duration.ofMillis(1), 1, set.max()));
		part(path + ".jitter", set.jitter(), () -> BackOffPolicy.fixed(ANY_WAIT).withJitter(set.jitter()));
	}

	private boolean part(String property, Object value, Runnable policy) {
		try {
			policy.run();
			return true;
		}
		catch (IllegalArgumentException fault) {
			String message = String.valueOf(fault.getMessage());
			String rule = message.substring(message.indexOf(" but ") + " but ".length());
			this.faults.add(property, value, rule, "Correct " + property + " (" + rule + ")");
			return false;
		}
	}

	private static boolean hasQuota(@Nullable GroupProperties group) {
		return group != null && group.quota() != null && group.quota() != 0;
	}

	private void group(String path, @Nullable GroupProperties group, boolean withQuota) {
		if (group == null) {
			return;
		}
		this.faults.check(path + ".quota", group.quota(), GroupSettings.QUOTA);
		this.faults.check(path + ".concurrency", group.concurrency(), GroupSettings.CONCURRENCY);
		this.faults.check(path + ".max-active", group.maxActive(), GroupSettings.MAX_ACTIVE);
		rateLimit(path, group.rateLimit());
		if (!withQuota && group.whenFull() == WhenFull.DROP_OLDEST) {
			needsQuota(path, "when-full", group.whenFull());
		}
		if (!withQuota && Boolean.TRUE.equals(group.countDead())) {
			needsQuota(path, "count-dead", true);
		}
	}

	private void needsQuota(String path, String name, Object value) {
		String property = path + "." + name;
		this.faults.add(property, value, "requires a quota, and no quota is set", "Set " + path
				+ ".quota to a value from 1 to " + GroupSettings.QUOTA.most() + ", or remove " + property);
	}

	private void overrides(String path, Map<String, Single> overrides) {
		if (overrides.size() > GroupSettings.MOST_OVERRIDES) {
			this.faults.add(path, overrides.size() + " groups", "must be at most " + GroupSettings.MOST_OVERRIDES,
					"Configure at most " + GroupSettings.MOST_OVERRIDES + " groups under " + path);
		}
		overrides.forEach((group, override) -> override(path, group, override));
	}

	private void override(String path, String group, @Nullable Single override) {
		String property = path + "." + PropertyText.name(group);
		try {
			MessageKey.of("any", "any").inGroup(group);
		}
		catch (InvalidMessageException broken) {
			this.faults.add("a group key under " + path, group, broken.rule(),
					"Correct " + property + ": a group key " + broken.rule());
		}
		if (override == null || override.isEmpty()) {
			this.faults.add(property, "",
					"must have at least one of the properties weight, concurrency, rate-limit and dedicated",
					"Set at least one of them below " + property + ", or remove it");
			return;
		}
		this.faults.check(property + ".weight", override.weight(), GroupOverride.WEIGHT);
		this.faults.check(property + ".concurrency", override.concurrency(), GroupOverride.CONCURRENCY);
		rateLimit(property, override.rateLimit());
	}

}
