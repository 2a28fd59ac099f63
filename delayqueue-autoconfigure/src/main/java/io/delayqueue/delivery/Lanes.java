package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;

/**
 * The lanes of a consumer: one for each group that has workers of its own, and one that
 * all other messages share. Safe for use by several threads.
 */
final class Lanes {

	private final Lane shared;

	/** By group. */
	private final Map<String, Lane> dedicated = new HashMap<>();

	private final List<Lane> all = new ArrayList<>();

	/**
	 * Makes the lanes.
	 * @param plan what the consumer is about
	 * @param lane makes one for a group, {@code null} for the one that is shared, and so
	 * many messages at once
	 */
	Lanes(ConsumerPlan plan, BiFunction<@Nullable String, Integer, Lane> lane) {
		this.shared = lane.apply(null, plan.settings().concurrency());
		this.all.add(this.shared);
		plan.dedicated().forEach((group, concurrency) -> {
			Lane own = lane.apply(group, concurrency);
			this.dedicated.put(group, own);
			this.all.add(own);
		});
	}

	/** The lane that messages share whose group has none. */
	Lane shared() {
		return this.shared;
	}

	/** Whether the message's group has a lane of its own. */
	boolean hasOwn(DeliveryTask task) {
		return !of(task).equals(this.shared);
	}

	/** Messages by lane; the shared one is always there. */
	Map<Lane, List<DeliveryTask>> split(List<DeliveryTask> tasks) {
		if (this.dedicated.isEmpty()) {
			return Map.of(this.shared, tasks);
		}
		Map<Lane, List<DeliveryTask>> split = new HashMap<>(Map.of(this.shared, new ArrayList<>()));
		tasks.forEach((task) -> split.computeIfAbsent(of(task), (absent) -> new ArrayList<>()).add(task));
		return split;
	}

	/** Whether no worker is active in any lane. */
	boolean areIdle() {
		return this.all.stream().allMatch((lane) -> lane.workers().areIdle());
	}

	/**
	 * Lets go of a thread whose handler is abandoned.
	 * @return those whose worker it had, {@code null} if it had none
	 */
	@Nullable Workers letGo(Thread thread) {
		return this.all.stream().map(Lane::workers).filter((workers) -> workers.letGo(thread)).findFirst().orElse(null);
	}

	/** Takes away what has not begun. */
	List<DeliveryTask> takeUnstarted() {
		return this.all.stream().flatMap((lane) -> lane.takeUnstarted().stream()).toList();
	}

	/** Takes away what no worker has begun for so long. */
	List<DeliveryTask> takeStuck(long nanos) {
		return this.all.stream().flatMap((lane) -> lane.workers().takeStuck(nanos).stream()).toList();
	}

	/** Nothing begins by itself any more. */
	void stop() {
		this.all.forEach((lane) -> lane.gathering().stop());
	}

	void close() {
		this.all.forEach((lane) -> lane.threads().close());
	}

	/** The lane of the message's group, or the one that is shared. */
	Lane of(DeliveryTask task) {
		String group = task.group();
		return (group != null) ? this.dedicated.getOrDefault(group, this.shared) : this.shared;
	}

}
