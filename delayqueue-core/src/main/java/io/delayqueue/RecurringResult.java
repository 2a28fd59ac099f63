package io.delayqueue;

/** The outcome of {@link RecurringOperations#createOrReplace}. */
public enum RecurringResult {

	/** The recurring schedule was stored; the queue had no schedule with its key. */
	CREATED,

	/**
	 * The recurring schedule replaced another schedule with its key. The call also
	 * removed the next occurrence of the replaced schedule if Redis had already stored
	 * it; occurrences that were already due are kept.
	 */
	REPLACED,

	/**
	 * An equal recurring schedule with this key was stored already; nothing was changed.
	 */
	UNCHANGED

}
