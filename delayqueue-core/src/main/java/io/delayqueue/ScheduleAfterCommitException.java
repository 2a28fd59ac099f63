package io.delayqueue;

import java.util.List;
import java.util.Objects;

/**
 * Thrown to the caller of a commit if a transaction has called
 * {@link DelayQueueOperations#scheduleAfterCommit} several times, and not all of its
 * messages could be scheduled after the commit. The transaction stays committed. The
 * cause of this exception is the first failure; all other failures are suppressed
 * exceptions.
 */
public final class ScheduleAfterCommitException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final List<ScheduleAnswer> answers;

	/**
	 * Creates the exception.
	 * @param answers the answers for all messages of the transaction, at least one of
	 * them with a failure
	 */
	public ScheduleAfterCommitException(List<ScheduleAnswer> answers) {
		super(message(failures(answers), answers.size()), null, null, failures(answers).get(0));
		this.answers = List.copyOf(answers);
		failures(answers).stream().skip(1).forEach(this::addSuppressed);
	}

	private static List<DelayQueueException> failures(List<ScheduleAnswer> answers) {
		return answers.stream().map(ScheduleAnswer::failure).filter(Objects::nonNull).toList();
	}

	private static String message(List<DelayQueueException> failures, int messages) {
		return "The transaction has committed, but " + failures.size() + " of its " + messages
				+ " messages were not scheduled, or may not have been; the first one: " + failures.get(0).getMessage();
	}

	/**
	 * Returns what became of each message of the transaction.
	 * @return one answer for each message, in the order of the calls, as
	 * {@link DelayQueueOperations#scheduleAll} returns them
	 */
	public List<ScheduleAnswer> answers() {
		return this.answers;
	}

}
