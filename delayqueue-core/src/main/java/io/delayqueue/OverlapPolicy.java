package io.delayqueue;

/**
 * Defines whether a recurring schedule gets an occurrence at an instant at which its last
 * occurrence has not ended. To make occurrences wait for each other, choose
 * {@link #ALLOW} and give the schedule a group that is limited to one message at a time.
 */
public enum OverlapPolicy {

	/**
	 * Every instant of the schedule gets an occurrence, which is stored before the
	 * instant comes.
	 */
	ALLOW,

	/**
	 * The schedule gets no occurrence at an instant at which its last occurrence is
	 * scheduled (also for a retry), parked, ready or pending. With this policy an
	 * occurrence is stored when its instant comes, and not before. An occurrence that
	 * became a dead letter counts as ended.
	 */
	SKIP

}
