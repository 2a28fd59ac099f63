package io.delayqueue;

/**
 * What happens if an instant of a recurring schedule comes while its last occurrence has
 * not ended. Waiting for the end is neither of them: give the schedule a group of which
 * one message is handled at a time.
 */
public enum OverlapPolicy {

	/** Every instant has an occurrence, stored before the instant comes. */
	ALLOW,

	/**
	 * An instant has no occurrence if the last one is scheduled, ready, pending or waits
	 * for a retry. Occurrences are stored when they are due. A dead letter has ended.
	 */
	SKIP

}
