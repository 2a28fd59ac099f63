package io.delayqueue;

/** The outcome of {@link RecurringOperations#createOrReplace}. */
public enum RecurringResult {

	/** The schedule was stored; the queue had no schedule with its key. */
	CREATED,

	/**
	 * The schedule replaced another schedule with its key. The occurrence of the old
	 * schedule that was stored before its instant is removed; occurrences that are due
	 * already stay.
	 */
	REPLACED,

	/** The schedule is stored already, in all its parts; nothing was changed. */
	UNCHANGED

}
