package io.delayqueue;

/**
 * What happens to missed instants of a recurring schedule. An instant is missed if its
 * occurrence could not be stored until more than a minute after it, because no process
 * consumed the queue, or Redis was not available. Instants during a pause are not missed.
 */
public enum MissedPolicy {

	/** The latest missed instant has an occurrence, due at once. */
	LATEST,

	/** The newest 100 missed instants have one occurrence each, due at once. */
	ALL,

	/** No missed instant has an occurrence. */
	NONE

}
