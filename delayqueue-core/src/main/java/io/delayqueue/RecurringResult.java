package io.delayqueue;

/** The outcome of {@link RecurringOperations#createOrReplace}. */
public enum RecurringResult {

	/** The queue had no schedule with this key. */
	CREATED,

	/**
	 * The schedule replaced another one with its key. The occurrence of that one that was
	 * stored ahead is removed; occurrences that were due before stay.
	 */
	REPLACED,

	/** The schedule is stored already, in all its parts; nothing was changed. */
	UNCHANGED

}
