package io.delayqueue.autoconfigure;

import java.util.HashMap;
import java.util.Map;

import io.delayqueue.RateLimit;
import io.delayqueue.queue.GroupOverride;
import io.delayqueue.queue.GroupSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits of the groups of one queue. {@code delayqueue.defaults.group} applies to each
 * property that is not set.
 *
 * @param quota Maximum number of messages of one group that may wait at the same time; 0
 * for no limit.
 * @param whenFull What happens to a new message whose group has used up its quota.
 * @param countDead Whether dead letters count towards the quota.
 * @param concurrency Maximum number of messages of one group that are ready or being
 * handled at the same time, across all processes; 1 for strict order of due times, 0 for
 * no limit.
 * @param maxActive Maximum number of messages of one group that are ready or being
 * handled at the same time, so that each group gets a fair share. A message that waits
 * for a retry frees its slot. If not set, the maximum is twice the concurrency of the
 * listener.
 * @param rateLimit Maximum number of messages of one group that are handed to handlers in
 * a period, across all processes.
 */
public record GroupProperties(@Nullable Integer quota, @Nullable WhenFull whenFull, @Nullable Boolean countDead,
		@Nullable Integer concurrency, @Nullable Integer maxActive,
		@NestedConfigurationProperty @Nullable RateLimitProperties rateLimit) {

	private static final GroupProperties NO_SETTINGS = new GroupProperties(null, null, null, null, null, null);

	/** What happens to a new message whose group has used up its quota. */
	public enum WhenFull {

		/** The new message is rejected: the call that schedules it fails. */
		REJECT,

		/**
		 * Of the messages of the group that are not ready yet, the one with the earliest
		 * due time is removed.
		 */
		DROP_OLDEST

	}

	/**
	 * Default limits of the groups of queues; a queue may set other values.
	 *
	 * @param quota Maximum number of messages of one group that may wait at the same
	 * time; 0 for no limit.
	 * @param whenFull What happens to a new message whose group has used up its quota.
	 * @param countDead Whether dead letters count towards the quota.
	 * @param concurrency Maximum number of messages of one group that are ready or being
	 * handled at the same time, across all processes; 1 for strict order of due times, 0
	 * for no limit.
	 * @param maxActive Maximum number of messages of one group that are ready or being
	 * handled at the same time, so that each group gets a fair share. A message that
	 * waits for a retry frees its slot. If not set, the maximum is twice the concurrency
	 * of the listener.
	 * @param rateLimit Maximum number of messages of one group that are handed to
	 * handlers in a period, across all processes.
	 */
	public record Defaults(@DefaultValue("0") int quota, @DefaultValue("reject") WhenFull whenFull,
			@DefaultValue("false") boolean countDead, @DefaultValue("0") int concurrency, @Nullable Integer maxActive,
			@NestedConfigurationProperty @Nullable RateLimitProperties rateLimit) {

		GroupProperties asGroup() {
			return new GroupProperties(this.quota, this.whenFull, this.countDead, this.concurrency, this.maxActive,
					this.rateLimit);
		}

		/**
		 * Returns the settings of the groups of a queue: each value is that of the queue,
		 * or the default if the queue does not set it.
		 */
		GroupSettings settings(@Nullable GroupProperties own, @Nullable Overrides groups) {
			GroupProperties group = or(own, NO_SETTINGS);
			Map<String, GroupOverride> overrides = new HashMap<>();
			if (groups != null) {
				groups.overrides().forEach((key, single) -> overrides.put(key, single.toOverride()));
			}
			return new GroupSettings(or(group.quota, this.quota),
					or(group.whenFull, this.whenFull) == WhenFull.DROP_OLDEST, or(group.countDead, this.countDead),
					or(group.concurrency, this.concurrency),
					(group.maxActive != null) ? group.maxActive : this.maxActive,
					limit((group.rateLimit != null) ? group.rateLimit : this.rateLimit), overrides);
		}

	}

	/**
	 * Settings of individual groups of a queue.
	 *
	 * @param overrides Settings of each group, by group key.
	 */
	public record Overrides(@DefaultValue Map<String, Single> overrides) {
	}

	/**
	 * Settings of one group.
	 *
	 * @param weight Factor by which the fair share of the group is multiplied.
	 * @param concurrency Maximum number of messages of the group that are ready or being
	 * handled at the same time, across all processes. This limit replaces the one for all
	 * groups.
	 * @param rateLimit Maximum number of messages of the group that are handed to
	 * handlers in a period, across all processes. This limit replaces the one for all
	 * groups.
	 * @param dedicated Whether the group has workers of its own in each process.
	 */
	public record Single(@Nullable Integer weight, @Nullable Integer concurrency,
			@NestedConfigurationProperty @Nullable RateLimitProperties rateLimit, @Nullable Boolean dedicated) {

		boolean isEmpty() {
			return this.weight == null && this.concurrency == null && this.rateLimit == null && this.dedicated == null;
		}

		private GroupOverride toOverride() {
			return new GroupOverride(or(this.weight, 1), this.concurrency, limit(this.rateLimit),
					or(this.dedicated, false));
		}

	}

	private static @Nullable RateLimit limit(@Nullable RateLimitProperties properties) {
		return (properties != null) ? properties.toLimit() : null;
	}

	private static <T> T or(@Nullable T own, T defaultValue) {
		return (own != null) ? own : defaultValue;
	}

}
