package io.delayqueue.observe;

import java.util.List;

/**
 * Snapshot of the abandoned handler calls of a consumer: calls that were given up after
 * their timeout and whose handlers have not ended.
 *
 * @param runs one description for each abandoned handler call: message ids, running time,
 * and the stack position of its thread
 * @param areTooMany whether the consumer reads no messages until some of the abandoned
 * handler calls end
 */
public record AbandonedRuns(List<String> runs, boolean areTooMany) {

	/**
	 * Snapshot without abandoned calls, for a consumer that does not run, or whose
	 * handlers have all ended.
	 */
	public static final AbandonedRuns NONE = new AbandonedRuns(List.of(), false);

	/** Copies the list of descriptions. */
	public AbandonedRuns {
		runs = List.copyOf(runs);
	}

}
