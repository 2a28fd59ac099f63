package io.delayqueue.store;

import io.delayqueue.record.RecurringRecord;

/**
 * A definition of a recurring schedule with the instant at which it is due.
 *
 * @param key the key of the schedule
 * @param atMillis the instant at which the owner advances it, ms since 1970; 0 if that is
 * unknown, {@link #NEVER} if there is none
 * @param record the definition
 */
public record DueDefinition(String key, long atMillis, RecurringRecord record) {

	/** Stands for no instant, because the schedule is stopped or has ended. */
	public static final long NEVER = Long.MAX_VALUE;

	static DueDefinition of(String key, Reply reply, int index) {
		String at = reply.text(index);
		return new DueDefinition(key, at.contains("inf") ? NEVER : (long) Double.parseDouble(at),
				RecurringRecord.from(reply.text(index + 1)));
	}

}
