package io.delayqueue;

/**
 * Defines whether an instant of a recurring schedule gets an occurrence while the last
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
	 * An instant of the schedule gets no occurrence while the last occurrence has not
	 * ended: while it is scheduled (also for a retry), parked, ready or pending. With
	 * this policy an occurrence is stored when its instant comes, and not before. An
	 * occurrence that became a dead letter counts as ended.
	 */
	SKIP

}
