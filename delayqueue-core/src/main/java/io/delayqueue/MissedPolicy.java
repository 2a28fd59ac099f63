package io.delayqueue;

/**
 * Defines which missed instants of a recurring schedule get an occurrence. An instant is
 * missed if its occurrence could not be stored until more than a minute after it, because
 * no process consumed the queue, or Redis was not available. Instants during a pause of
 * the schedule do not count as missed.
 */
public enum MissedPolicy {

	/** The latest missed instant gets an occurrence, due at once. */
	LATEST,

	/** The newest 100 missed instants get one occurrence each, due at once. */
	ALL,

	/** No missed instant gets an occurrence. */
	NONE

}
