package io.delayqueue.queue;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import io.delayqueue.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the groups of a queue; a group is all messages with the same group key.
 *
 * @param quota the most messages of one group that wait at once (scheduled, parked, ready
 * or pending), up to 1,000,000; 0 for any number
 * @param dropOldest whether a new message of a group that has used up its quota replaces
 * the oldest message of the group; otherwise the new message is refused
 * @param countDead whether dead letters also count against the quota
 * @param concurrency the most messages of one group that are ready or pending at once, in
 * all processes together, up to 10,000; 1 for strict order of due times; 0 for any number
 * @param maxActive the fair share: a further limit on ready and pending messages, to
 * protect other groups, 1 to 100,000; {@code null} for twice the concurrency of the
 * container
 * @param rateLimit the highest rate at which messages of one group are handed to
 * handlers, in all processes together; {@code null} for no limit
 * @param overrides the groups that have settings of their own, by group key; at most 100
 */
public record GroupSettings(int quota, boolean dropOldest, boolean countDead, int concurrency,
		@Nullable Integer maxActive, @Nullable RateLimit rateLimit, Map<String, GroupOverride> overrides) {

	/** Settings without limits other than the fair shares of groups. */
	public static final GroupSettings NONE = new GroupSettings(0, false, false, 0, null, null, Map.of());

	/** The bounds of {@code quota}. */
	public static final Bounds<Integer> QUOTA = new Bounds<>(0, 1_000_000);

	/** The bounds of {@code concurrency}. */
	public static final Bounds<Integer> CONCURRENCY = new Bounds<>(0, 10_000);

	/** The bounds of {@code maxActive}. */
	public static final Bounds<Integer> MAX_ACTIVE = new Bounds<>(1, 100_000);

	/** The most groups of a queue that may have settings of their own. */
	public static final int MOST_OVERRIDES = 100;

	private static final int SHARE = 2;

	/** Copies the map of overrides. */
	public GroupSettings {
		overrides = Map.copyOf(overrides);
	}

	/** Adds an error message for each setting that is out of its bounds. */
	void check(List<String> faults) {
		QUOTA.check(faults, "group.quota", this.quota);
		CONCURRENCY.check(faults, "group.concurrency", this.concurrency);
		if (this.maxActive != null) {
			MAX_ACTIVE.check(faults, "group.max-active", this.maxActive);
		}
		this.overrides.forEach((group, override) -> override.check(faults, "groups.overrides.[" + group + "]"));
		if (this.overrides.size() > MOST_OVERRIDES) {
			faults
				.add("groups.overrides has " + this.overrides.size() + " keys but must have at most " + MOST_OVERRIDES);
		}
	}

	/**
	 * Returns the most messages of a group that may be ready or pending at once: the
	 * concurrency of the group or its fair share, whichever is less. A group with
	 * dedicated workers and a concurrency of its own is limited by that concurrency only,
	 * because its workers take no capacity from other groups.
	 * @param group the group key
	 * @param containerConcurrency the number of messages that a container of the queue
	 * handles at once
	 * @return the most messages, 1 or more
	 */
	public int limitOf(String group, int containerConcurrency) {
		GroupOverride override = this.overrides.get(group);
		int concurrency = concurrencyOf(override);
		if (override != null && override.dedicated() && override.concurrency() != null) {
			return concurrency;
		}
		int share = (this.maxActive != null) ? this.maxActive : SHARE * containerConcurrency;
		int weighted = (override != null) ? share * override.weight() : share;
		return (concurrency > 0) ? Math.min(concurrency, weighted) : weighted;
	}

	/**
	 * Returns the rate limit of a group.
	 * @param group the group key
	 * @return the group's own limit, otherwise the limit of all groups; {@code null} for
	 * no limit
	 */
	public @Nullable RateLimit rateLimitOf(String group) {
		GroupOverride override = this.overrides.get(group);
		return (override != null && override.rateLimit() != null) ? override.rateLimit() : this.rateLimit;
	}

	/**
	 * Whether any group has a rate limit.
	 * @return {@code true} if the messages of a group may have to wait for tokens
	 */
	public boolean areRated() {
		return this.rateLimit != null
				|| this.overrides.values().stream().anyMatch((override) -> override.rateLimit() != null);
	}

	/**
	 * Whether the messages of a group are handled one after the other in the order of
	 * their due times, so that a retried message blocks the messages after it.
	 * @param group the group key
	 * @return {@code true} if the group's concurrency is 1
	 */
	public boolean isStrict(String group) {
		return concurrencyOf(this.overrides.get(group)) == 1;
	}

	/**
	 * Returns the groups that have workers of their own.
	 * @param containerConcurrency the number of messages that a container of the queue
	 * handles at once
	 * @return the number of messages that the workers of each group handle at once, by
	 * group key, in the order of the keys
	 */
	public SortedMap<String, Integer> dedicated(int containerConcurrency) {
		SortedMap<String, Integer> dedicated = new TreeMap<>();
		this.overrides.forEach((group, override) -> {
			if (override.dedicated()) {
				Integer own = override.concurrency();
				dedicated.put(group, (own != null) ? own : containerConcurrency);
			}
		});
		return dedicated;
	}

	private int concurrencyOf(@Nullable GroupOverride override) {
		return (override != null && override.concurrency() != null) ? override.concurrency() : this.concurrency;
	}

}
