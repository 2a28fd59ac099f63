package io.delayqueue;

/**
 * Defines which instants of a recurring schedule get an occurrence later, if the
 * occurrence could not be stored at its instant: because no process consumed the queue,
 * Redis was not available, or the queue or the group of the schedule was paused or held.
 * Instants during a pause of the schedule itself get no occurrence. An occurrence that
 * was stored at its instant is delivered, however late.
 */
public enum MissedPolicy {

	/** Only the latest of the instants gets an occurrence, which is due at once. */
	LATEST,

	/**
	 * The latest 100 instants that are more than a minute ago, and all later ones, get
	 * one occurrence each, which is due at once. The next occurrence is stored before its
	 * instant comes.
	 */
	ALL,

	/**
	 * No instant that is more than a minute ago gets an occurrence, and of the later ones
	 * only the latest.
	 */
	NONE

}
