package io.delayqueue.autoconfigure;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the groups of one queue are bounded; what is not set is as in the defaults.
 *
 * @param quota The most messages of one group that wait at once; 0 for any number.
 * @param whenFull What happens to a message whose group has used up its quota.
 * @param countDead Whether dead letters have a place in the quota too.
 * @param concurrency The most messages of one group that are ready or being handled at
 * once, in all processes together; 1 for strict order of due times, 0 for any number.
 * @param maxActive The same limit for the sake of the other groups, so that each gets its
 * share; a message that is tried again frees its place. Twice the concurrency if it is
 * not set.
 */
public record GroupProperties(@Nullable Integer quota, @Nullable WhenFull whenFull, @Nullable Boolean countDead,
		@Nullable Integer concurrency, @Nullable Integer maxActive) {

	static final GroupProperties NOTHING = new GroupProperties(null, null, null, null, null);

	/** What happens to a message whose group has used up its quota. */
	public enum WhenFull {

		/** It is refused. */
		REJECT,

		/** The oldest message of the group that is not ready yet makes room for it. */
		DROP_OLDEST

	}

	/**
	 * How the groups of every queue that says nothing of it are bounded.
	 *
	 * @param quota The most messages of one group that wait at once; 0 for any number.
	 * @param whenFull What happens to a message whose group has used up its quota.
	 * @param countDead Whether dead letters have a place in the quota too.
	 * @param concurrency The most messages of one group that are ready or being handled
	 * at once, in all processes together; 1 for strict order of due times, 0 for any
	 * number.
	 * @param maxActive The same limit for the sake of the other groups, so that each gets
	 * its share; a message that is tried again frees its place. Twice the concurrency if
	 * it is not set.
	 */
	public record Defaults(@DefaultValue("0") int quota, @DefaultValue("reject") WhenFull whenFull,
			@DefaultValue("false") boolean countDead, @DefaultValue("0") int concurrency, @Nullable Integer maxActive) {

		GroupProperties asGroup() {
			return new GroupProperties(this.quota, this.whenFull, this.countDead, this.concurrency, this.maxActive);
		}

	}

	/**
	 * What is set for single groups of a queue.
	 *
	 * @param overrides What is set for each, by group key.
	 */
	public record Overrides(@DefaultValue Map<String, Single> overrides) {

		static final Overrides NONE = new Overrides(Map.of());

	}

	/**
	 * What is set for one group.
	 *
	 * @param weight What its fair share is multiplied by.
	 * @param concurrency The most messages of it that are ready or being handled at once,
	 * in all processes together, instead of what is set for all groups.
	 * @param dedicated Whether it has workers of its own in each process.
	 */
	public record Single(@Nullable Integer weight, @Nullable Integer concurrency, @Nullable Boolean dedicated) {

		boolean isEmpty() {
			return this.weight == null && this.concurrency == null && this.dedicated == null;
		}

	}

}
