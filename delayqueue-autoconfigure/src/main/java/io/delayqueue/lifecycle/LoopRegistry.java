package io.delayqueue.lifecycle;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Knows all background activities of this process that are meant to go on, so that health
 * can tell when one does not. Safe for use by several threads.
 */
public final class LoopRegistry {

	private final Map<Object, Supplier<LoopStatus>> activities = new ConcurrentHashMap<>();

	/**
	 * Adds an activity.
	 * @param activity what runs; the key to remove it by
	 * @param status tells how it fares
	 */
	public void add(Object activity, Supplier<LoopStatus> status) {
		this.activities.put(activity, status);
	}

	/**
	 * Removes an activity that is meant to stop.
	 * @param activity what ran
	 */
	public void remove(Object activity) {
		this.activities.remove(activity);
	}

	/**
	 * How all activities fare.
	 * @return a status each, in no order
	 */
	public List<LoopStatus> statuses() {
		return this.activities.values().stream().map(Supplier::get).toList();
	}

}
