package io.delayqueue.outbox;

import java.util.List;

/**
 * Operations for operators on the rows of the outbox. An application injects a bean of
 * this type; the bean is thread-safe. Every method of this interface has a database
 * transaction and a connection of its own, also if the calling thread has a transaction.
 * So the method sees no uncommitted rows of the caller, and a rollback of the caller does
 * not undo a change.
 */
public interface DelayQueueOutboxAdmin {

	/**
	 * Counts the rows of the outbox. One thread counts at a time. The result, counts or a
	 * failure, is also returned or thrown by later calls, without another attempt to
	 * count: for 5 seconds after the end of the count, or for a minute while another
	 * thread counts. A change of rows by a method of this bean ends the use of an earlier
	 * result.
	 * @return the counts and the age of the oldest row
	 * @throws RuntimeException if the rows cannot be counted, or if the database has not
	 * answered another thread for a minute
	 */
	OutboxStatus status();

	/**
	 * Lists failed rows of the outbox, in the order in which they were written.
	 * @param after the number of the row after which the page begins, 0 for the first
	 * page
	 * @param limit the most rows on the page, 1 to 1,000
	 * @return the failed rows
	 */
	List<FailedRow> failed(long after, int limit);

	/**
	 * Marks a failed row of the outbox to be sent to Redis again. A delay still counts
	 * from the original call of the outbox. The rows of a message are sent in their
	 * order: if a later row with the same queue and id was sent, which
	 * {@link FailedRow#reason()} then states, or may be being sent now, the failed row is
	 * not marked.
	 * @param row {@link FailedRow#row()}
	 * @return {@code false} if the outbox has no failed row with this number, or if a
	 * later row prevents the retry
	 */
	boolean retry(long row);

	/**
	 * Marks all failed rows of a queue to be sent to Redis again, except those that
	 * {@link #retry} would not mark.
	 * @param queue the queue
	 * @return the number of marked rows
	 */
	int retryAll(String queue);

	/**
	 * Removes a failed row of the outbox, so that its call is never carried out.
	 * @param row {@link FailedRow#row()}
	 * @return {@code false} if the outbox has no failed row with this number
	 */
	boolean remove(long row);

}
