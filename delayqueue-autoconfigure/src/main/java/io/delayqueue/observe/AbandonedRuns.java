package io.delayqueue.observe;

import java.util.List;

/**
 * The calls of a consumer's handlers that were abandoned and have not ended, at a moment.
 *
 * @param runs each of them, for a human: ids, how long it runs, and where its thread is
 * @param areTooMany whether nothing more is read before some of them have ended
 */
public record AbandonedRuns(List<String> runs, boolean areTooMany) {

	/** Of a consumer that does not run, or whose handlers all end. */
	public static final AbandonedRuns NONE = new AbandonedRuns(List.of(), false);

	/** Copies the runs in. */
	public AbandonedRuns {
		runs = List.copyOf(runs);
	}

}
