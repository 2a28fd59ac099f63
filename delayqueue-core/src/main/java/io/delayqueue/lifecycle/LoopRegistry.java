package io.delayqueue.lifecycle;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The background activities that should be running in this process, so that the health
 * indicator can report one that has ended. Safe for use by several threads.
 */
public final class LoopRegistry {

	private final Map<Object, Supplier<LoopStatus>> activities = new ConcurrentHashMap<>();

	/**
	 * Adds an activity.
	 * @param activity the activity; the key to remove it by
	 * @param status returns its status
	 */
	public void add(Object activity, Supplier<LoopStatus> status) {
		this.activities.put(activity, status);
	}

	/**
	 * Removes an activity that is about to stop.
	 * @param activity the activity
	 */
	public void remove(Object activity) {
		this.activities.remove(activity);
	}

	/**
	 * Returns the status of all activities.
	 * @return one status for each activity, in no order
	 */
	public List<LoopStatus> statuses() {
		return this.activities.values().stream().map(Supplier::get).toList();
	}

}
