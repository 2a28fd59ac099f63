package io.delayqueue.autoconfigure;

import java.util.Collection;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.autoconfigure.DelayQueueProperties.Queue;
import io.delayqueue.autoconfigure.GroupProperties.Single;
import io.delayqueue.autoconfigure.GroupProperties.Overrides;
import io.delayqueue.autoconfigure.GroupProperties.WhenFull;
import io.delayqueue.queue.GroupOverride;
import io.delayqueue.queue.GroupSettings;
import org.jspecify.annotations.Nullable;

/**
 * Looks for faults in what is set for the groups of queues.
 */
final class GroupCheck {

	private final ConfigurationFaults faults;

	/**
	 * Creates a check.
	 * @param faults where to add what is wrong
	 */
	GroupCheck(ConfigurationFaults faults) {
		this.faults = faults;
	}

	/**
	 * Checks what every queue takes that says nothing of it.
	 * @param path what the names of the properties begin with
	 * @param defaults what is set there
	 * @param queues what is set for single queues: one of them may bring the quota that
	 * the rest is for
	 */
	void checkDefaults(String path, @Nullable GroupProperties defaults, Collection<Queue> queues) {
		if (defaults != null) {
			check(path, defaults,
					hasQuota(defaults) || queues.stream().map(Queue::group).anyMatch(GroupCheck::hasQuota));
		}
	}

	/**
	 * Checks what is set for a queue.
	 * @param path what the names of the properties begin with
	 * @param own what is set there
	 * @param defaults what the queue takes where it says nothing
	 */
	void checkOwn(String path, Queue own, @Nullable GroupProperties defaults) {
		if (own.group() != null) {
			check(path, own.group(), hasQuota((own.group().quota() != null) ? own.group() : defaults));
		}
		if (own.groups() != null) {
			overrides(path + ".groups.overrides", own.groups());
		}
	}

	private static boolean hasQuota(@Nullable GroupProperties group) {
		return group != null && group.quota() != null && group.quota() != 0;
	}

	private void check(String path, GroupProperties group, boolean withQuota) {
		this.faults.check(path + ".group.quota", group.quota(), GroupSettings.QUOTA);
		this.faults.check(path + ".group.concurrency", group.concurrency(), GroupSettings.CONCURRENCY);
		this.faults.check(path + ".group.max-active", group.maxActive(), GroupSettings.MAX_ACTIVE);
		if (!withQuota && group.whenFull() == WhenFull.DROP_OLDEST) {
			needsQuota(path, "when-full", group.whenFull());
		}
		if (!withQuota && Boolean.TRUE.equals(group.countDead())) {
			needsQuota(path, "count-dead", true);
		}
	}

	private void needsQuota(String path, String name, Object value) {
		String property = path + ".group." + name;
		this.faults.add(property, value, "must not be set without a quota, and there is none", "Set " + path
				+ ".group.quota to a value from 1 to " + GroupSettings.QUOTA.most() + ", or remove " + property);
	}

	private void overrides(String path, Overrides groups) {
		int count = groups.overrides().size();
		if (count > GroupSettings.MOST_OVERRIDES) {
			this.faults.add(path, count + " groups", "must be at most " + GroupSettings.MOST_OVERRIDES,
					"Name at most " + GroupSettings.MOST_OVERRIDES + " groups under " + path);
		}
		groups.overrides().forEach((group, override) -> override(path, group, override));
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
			this.faults.add(property, "", "must be with weight, concurrency or dedicated below it",
					"Set one of them below " + property + ", or remove it");
			return;
		}
		this.faults.check(property + ".weight", override.weight(), GroupOverride.WEIGHT);
		this.faults.check(property + ".concurrency", override.concurrency(), GroupOverride.CONCURRENCY);
	}

}
