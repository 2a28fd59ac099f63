package io.delayqueue.actuate;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Some dead letters of a queue.
 *
 * @param queue the queue's name
 * @param deadLetters the dead letters, of each partition the oldest first
 * @param next what to ask for the next page with, as parameter {@code from}; {@code null}
 * if nothing follows. If they are selected by a reason, a page may have fewer dead
 * letters than asked for, or none, although others follow
 */
public record DeadLettersDescriptor(String queue, List<Letter> deadLetters,
		@Nullable String next) implements OperationResponseBody {

	/**
	 * A dead letter.
	 *
	 * @param id the message's id
	 * @param partition the number of its partition
	 * @param diedAt when it was set aside
	 * @param failures how many deliveries ended with an exception
	 * @param crashes how many deliveries ended with the silence of their process
	 * @param reason a word for why, as in {@link io.delayqueue.DeadLetter#reason()}
	 * @param exception the class of the last exception, {@code null} if there was none
	 * @param message what the last exception said, or why otherwise; asterisks if it is
	 * hidden
	 */
	public record Letter(String id, int partition, Instant diedAt, int failures, int crashes, String reason,
			@Nullable String exception, @Nullable String message) {
	}

}
