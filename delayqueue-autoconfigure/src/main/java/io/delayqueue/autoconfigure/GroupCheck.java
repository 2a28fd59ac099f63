package io.delayqueue.autoconfigure;

import java.util.Collection;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.autoconfigure.DelayQueueProperties.Queue;
import io.delayqueue.autoconfigure.GroupProperties.Overrides;
import io.delayqueue.autoconfigure.GroupProperties.Single;
import io.delayqueue.autoconfigure.GroupProperties.WhenFull;
import io.delayqueue.queue.GroupOverride;
import io.delayqueue.queue.GroupSettings;
import org.jspecify.annotations.Nullable;

/**
 * Checks the settings of the groups of queues.
 */
final class GroupCheck {

	private final ConfigurationFaults faults;

	/**
	 * Creates a check.
	 * @param faults collects the faults
	 */
	GroupCheck(ConfigurationFaults faults) {
		this.faults = faults;
	}

	/**
	 * Checks the defaults.
	 * @param path the prefix of the property names
	 * @param defaults the default settings of groups
	 * @param queues the settings of individual queues: one of them may set the quota that
	 * other default settings require
	 */
	void checkDefaults(String path, @Nullable GroupProperties defaults, Collection<Queue> queues) {
		if (defaults != null) {
			check(path, defaults,
					hasQuota(defaults) || queues.stream().map(Queue::group).anyMatch(GroupCheck::hasQuota));
		}
	}

	/**
	 * Checks the settings of one queue.
	 * @param path the prefix of the property names
	 * @param own the settings of the queue
	 * @param defaults the default settings of groups
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
		this.faults.add(property, value, "requires a quota, and no quota is set", "Set " + path
				+ ".group.quota to a value from 1 to " + GroupSettings.QUOTA.most() + ", or remove " + property);
	}

	private void overrides(String path, Overrides groups) {
		int count = groups.overrides().size();
		if (count > GroupSettings.MOST_OVERRIDES) {
			this.faults.add(path, count + " groups", "must be at most " + GroupSettings.MOST_OVERRIDES,
					"Configure at most " + GroupSettings.MOST_OVERRIDES + " groups under " + path);
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
			this.faults.add(property, "", "must have at least one of the properties weight, concurrency and dedicated",
					"Set at least one of them below " + property + ", or remove it");
			return;
		}
		this.faults.check(property + ".weight", override.weight(), GroupOverride.WEIGHT);
		this.faults.check(property + ".concurrency", override.concurrency(), GroupOverride.CONCURRENCY);
	}

}
