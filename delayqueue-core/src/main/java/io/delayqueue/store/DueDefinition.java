package io.delayqueue.store;

import io.delayqueue.record.RecurringRecord;

/**
 * A definition of a recurring schedule, and the instant at which the partition's owner
 * (the process that maintains the partition) advances the schedule.
 *
 * @param key the key of the schedule
 * @param atMillis the instant at which the partition's owner stores the next occurrence,
 * ms since 1970; 0 if the instant is unknown, {@link #NEVER} if there is none
 * @param record the definition
 */
public record DueDefinition(String key, long atMillis, RecurringRecord record) {

	/**
	 * The instant of a schedule that is stopped or has ended, and so has no next
	 * occurrence.
	 */
	public static final long NEVER = Long.MAX_VALUE;

	static DueDefinition of(String key, Reply reply, int index) {
		String at = reply.text(index);
		return new DueDefinition(key, at.contains("inf") ? NEVER : (long) Double.parseDouble(at),
				RecurringRecord.from(reply.text(index + 1)));
	}

}
