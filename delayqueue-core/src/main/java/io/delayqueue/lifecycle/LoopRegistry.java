package io.delayqueue.lifecycle;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Lists the background activities that should be running in this process. The health
 * indicator reports a listed activity that has ended. Safe for use by several threads.
 */
public final class LoopRegistry {

	private final Map<Object, Supplier<LoopStatus>> activities = new ConcurrentHashMap<>();

	/**
	 * Adds a background activity.
	 * @param activity the activity, by which {@link #remove} finds the entry
	 * @param status returns the status of the activity
	 */
	public void add(Object activity, Supplier<LoopStatus> status) {
		this.activities.put(activity, status);
	}

	/**
	 * Removes a background activity that is about to stop.
	 * @param activity the activity
	 */
	public void remove(Object activity) {
		this.activities.remove(activity);
	}

	/**
	 * Returns the status of all background activities.
	 * @return one status for each activity, in no order
	 */
	public List<LoopStatus> statuses() {
		return this.activities.values().stream().map(Supplier::get).toList();
	}

}
