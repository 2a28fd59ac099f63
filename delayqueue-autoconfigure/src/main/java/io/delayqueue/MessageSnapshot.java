package io.delayqueue;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A message as it was at the moment of asking.
 *
 * @param queue the queue
 * @param id the message's id
 * @param group the group key, or {@code null} if it has none
 * @param state where the message is
 * @param dueAt its due time, by the clock of the Redis master
 * @param nextAttemptAt when it will be handed to a listener next; {@code null} unless it
 * is {@link MessageState#SCHEDULED}
 * @param attempts how many deliveries have failed so far
 * @param lastFailure why the last one failed; {@code null} if none has
 * @param headers the headers it was scheduled with
 */
public record MessageSnapshot(String queue, String id, @Nullable String group, MessageState state, Instant dueAt,
		@Nullable Instant nextAttemptAt, int attempts, @Nullable String lastFailure, Map<String, String> headers) {

	/**
	 * Copies the headers in.
	 */
	public MessageSnapshot {
		headers = Map.copyOf(headers);
	}

}
