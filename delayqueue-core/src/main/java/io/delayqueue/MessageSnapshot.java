package io.delayqueue;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A message as it was at the moment of a query.
 *
 * @param queue the queue
 * @param id the message's id
 * @param group the group key, {@code null} if the message has none
 * @param state the state of the message
 * @param dueAt the due time, by the clock of the Redis master; {@code null} if the state
 * is {@link MessageState#FINISHED}
 * @param nextAttemptAt the earliest time of the next delivery; {@code null} unless the
 * state is {@link MessageState#SCHEDULED}
 * @param attempts the number of deliveries that have failed so far; for a finished
 * message the number of its attempts
 * @param lastFailure the reason of the last failure; {@code null} if there was none
 * @param headers the headers that the message was scheduled with; empty if the state is
 * {@link MessageState#FINISHED}
 * @param end how the message has ended; {@code null} unless the state is
 * {@link MessageState#FINISHED}
 */
public record MessageSnapshot(String queue, String id, @Nullable String group, MessageState state,
		@Nullable Instant dueAt, @Nullable Instant nextAttemptAt, int attempts, @Nullable String lastFailure,
		Map<String, String> headers, @Nullable MessageEnd end) {

	/**
	 * Copies the headers.
	 */
	public MessageSnapshot {
		headers = Map.copyOf(headers);
	}

}
