package io.delayqueue;

/**
 * Defines whether an instant of a recurring schedule gets an occurrence while the last
 * occurrence has not ended. If occurrences should wait for each other, choose
 * {@link #ALLOW} and give the schedule a group of which one message is handled at a time.
 */
public enum OverlapPolicy {

	/**
	 * Every instant of the schedule gets an occurrence, which is stored before the
	 * instant comes.
	 */
	ALLOW,

	/**
	 * An instant of the schedule gets no occurrence if the last occurrence is scheduled,
	 * ready, pending or waits for a retry. With this policy an occurrence is stored when
	 * its instant comes, and not before. An occurrence that became a dead letter counts
	 * as ended.
	 */
	SKIP

}
