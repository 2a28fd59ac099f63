package io.delayqueue;

/**
 * Defines which missed instants of a recurring schedule get an occurrence. An instant of
 * a schedule is missed if its occurrence could not be stored within a minute after the
 * instant, because no process consumed the queue, or Redis was not available. Instants
 * during a pause of the schedule do not count as missed.
 */
public enum MissedPolicy {

	/** Only the latest missed instant gets an occurrence, which is due at once. */
	LATEST,

	/** The latest 100 missed instants get one occurrence each, which is due at once. */
	ALL,

	/** No missed instant gets an occurrence. */
	NONE

}
