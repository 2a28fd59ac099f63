package io.delayqueue;

/**
 * Defines whether an instant of a recurring schedule gets an occurrence while the last
 * occurrence has not ended. To make occurrences wait for each other instead, give the
 * schedule a group of which one message is handled at a time.
 */
public enum OverlapPolicy {

	/** Every instant gets an occurrence, which is stored before the instant comes. */
	ALLOW,

	/**
	 * An instant gets no occurrence if the last occurrence is scheduled, ready, pending
	 * or waits for a retry. Occurrences are stored when they are due. An occurrence that
	 * became a dead letter counts as ended.
	 */
	SKIP

}
