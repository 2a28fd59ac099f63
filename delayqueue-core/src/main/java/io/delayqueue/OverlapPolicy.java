package io.delayqueue;

/**
 * Defines whether a recurring schedule gets an occurrence at an instant at which its last
 * occurrence has not ended. To make occurrences wait for each other, choose
 * {@link #ALLOW} and give the schedule a group that is limited to one message at a time.
 */
public enum OverlapPolicy {

	/**
	 * An instant of the schedule gets an occurrence whether or not the last one has
	 * ended.
	 */
	ALLOW,

	/**
	 * The schedule gets no occurrence at an instant at which its last occurrence is
	 * scheduled (also for a retry), parked, ready or pending. An occurrence that became a
	 * dead letter counts as ended.
	 */
	SKIP

}
