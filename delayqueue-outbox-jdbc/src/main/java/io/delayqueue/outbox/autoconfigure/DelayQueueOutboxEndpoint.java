package io.delayqueue.outbox.autoconfigure;

import java.util.List;

import io.delayqueue.outbox.DelayQueueOutboxAdmin;
import io.delayqueue.outbox.FailedRow;
import io.delayqueue.outbox.OutboxStatus;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Actuator endpoint of the outbox: shows the counts and the failed rows, retries and
 * removes failed rows. The endpoint never shows payloads.
 */
@Endpoint(id = "delayqueueoutbox", defaultAccess = Access.READ_ONLY)
public class DelayQueueOutboxEndpoint {

	private static final Log logger = LogFactory.getLog(DelayQueueOutboxEndpoint.class);

	private static final int PAGE = 100;

	private final DelayQueueOutboxAdmin admin;

	DelayQueueOutboxEndpoint(DelayQueueOutboxAdmin admin) {
		this.admin = admin;
	}

	/**
	 * The counts of the outbox and a page of its failed rows.
	 *
	 * @param pending the number of committed rows that are not sent yet
	 * @param failed the number of failed rows, which wait for an operator
	 * @param oldestMillis the age of the oldest row that is not sent yet, ms; 0 if there
	 * is no such row
	 * @param rows at most 100 failed rows
	 */
	public record OutboxDescriptor(long pending, long failed, long oldestMillis, List<FailedRow> rows) {
	}

	/**
	 * Shows the counts of the outbox and a page of its failed rows.
	 * @param after the number of the row after which the page begins; {@code null} for
	 * the first page
	 * @return the counts and the failed rows
	 */
	@ReadOperation
	public OutboxDescriptor outbox(@Nullable Long after) {
		OutboxStatus status = this.admin.status();
		List<FailedRow> rows = this.admin.failed((after != null) ? after : 0, PAGE);
		// The rows are newer than the status
		boolean hasAll = after == null && rows.size() < PAGE;
		return new OutboxDescriptor(status.pending(), hasAll ? rows.size() : status.failed(),
				status.oldest().toMillis(), rows);
	}

	/**
	 * Marks a failed row of the outbox to be sent to Redis again.
	 * @param row the number of the row
	 * @param security the user. Because of this parameter, which is not part of the path,
	 * Spring Boot refuses requests without the content type JSON. A browser sends JSON to
	 * another site only with the permission of that site, so pages of other sites cannot
	 * retry rows
	 * @return {@code true}, or {@code null} if the outbox has no failed row with this
	 * number, or if a later row of the same message prevents the retry
	 */
	@WriteOperation
	public @Nullable Boolean retry(@Selector long row, SecurityContext security) {
		return found(this.admin.retry(row),
				"An operator has marked failed row " + row + " of the outbox to be sent again");
	}

	/**
	 * Removes a failed row of the outbox.
	 * @param row the number of the row
	 * @return {@code true}, or {@code null} if the outbox has no failed row with this
	 * number
	 */
	@DeleteOperation
	public @Nullable Boolean remove(@Selector long row) {
		return found(this.admin.remove(row), "An operator has removed failed row " + row + " of the outbox");
	}

	private static @Nullable Boolean found(boolean found, String done) {
		if (found) {
			logger.info(done);
		}
		return found ? true : null;
	}

}
