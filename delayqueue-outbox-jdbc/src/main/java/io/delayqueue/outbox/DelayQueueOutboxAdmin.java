package io.delayqueue.outbox;

import java.util.List;

/**
 * Operations for operators on the rows of the outbox. Inject this interface; the
 * implementation is thread-safe. Every method uses a transaction of its own.
 */
public interface DelayQueueOutboxAdmin {

	/**
	 * Counts the rows of the outbox. The counts may be up to 5 seconds old.
	 * @return the counts and the age of the oldest row
	 */
	OutboxStatus status();

	/**
	 * Lists failed rows, in the order in which they were written.
	 * @param after the number of the row after which the page begins, 0 for the first
	 * page
	 * @param limit the most rows of the page, 1 to 1,000
	 * @return the failed rows
	 */
	List<FailedRow> failed(long after, int limit);

	/**
	 * Marks a failed row to be sent again. The row takes effect after all rows that were
	 * sent since; a delay counts from the original call.
	 * @param row {@link FailedRow#row()}
	 * @return {@code false} if there is no such failed row
	 */
	boolean retry(long row);

	/**
	 * Marks all failed rows of a queue to be sent again.
	 * @param queue the queue
	 * @return the number of rows
	 */
	int retryAll(String queue);

	/**
	 * Removes a failed row, so that its call is never carried out.
	 * @param row {@link FailedRow#row()}
	 * @return {@code false} if there is no such failed row
	 */
	boolean remove(long row);

}
