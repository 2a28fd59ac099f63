package io.delayqueue.actuate;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A page of dead letters of a queue.
 *
 * @param queue the queue's name
 * @param deadLetters the dead letters, by partition and then from the oldest to the
 * newest
 * @param next the parameter {@code from} of the next page, {@code null} after the last
 * one. If dead letters are selected by a reason, a page may have fewer of them than
 * requested, or none, although more follow
 */
public record DeadLettersDescriptor(String queue, List<Letter> deadLetters,
		@Nullable String next) implements OperationResponseBody {

	/**
	 * A dead letter.
	 *
	 * @param id the message's id
	 * @param partition the number of its partition
	 * @param diedAt when it was dead-lettered
	 * @param failures how many deliveries ended with an exception
	 * @param crashes how many deliveries ended because their consumer stopped renewing
	 * the lease
	 * @param reason the reason, as in {@link io.delayqueue.admin.DeadLetter#reason()}
	 * @param exception the class of the last exception, {@code null} if there was none
	 * @param message the message of the last exception, or a description of another
	 * reason; asterisks if it is hidden
	 */
	public record Letter(String id, int partition, Instant diedAt, int failures, int crashes, String reason,
			@Nullable String exception, @Nullable String message) {
	}

}
