package io.delayqueue.actuate;

import java.time.Instant;
import java.util.Map;

import io.delayqueue.MessageState;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * One message.
 *
 * @param queue its queue
 * @param id its id
 * @param group its group key, {@code null} if it has none
 * @param partition the number of its partition
 * @param state where it is
 * @param dueAt its due time, {@code null} if its record cannot be read
 * @param nextAttemptAt when a scheduled one will be handed to a listener
 * @param readyAt when a ready or pending one became ready
 * @param diedAt when a dead one was set aside
 * @param consumer who has a pending one
 * @param idleMillis for how long that consumer has been silent about it, ms
 * @param attempts how many deliveries have failed so far
 * @param failures how many of them ended with an exception
 * @param crashes how many of them ended with the silence of their process
 * @param defers how often its handler has asked for a later time
 * @param lastFailure why the last one failed, {@code null} if none has
 * @param headers its headers, with asterisks for the values that are hidden
 * @param payload its payload, {@code null} if its record cannot be read
 * @param unreadable why its record cannot be read, {@code null} if it can
 */
public record MessageDescriptor(String queue, String id, @Nullable String group, int partition, MessageState state,
		@Nullable Instant dueAt, @Nullable Instant nextAttemptAt, @Nullable Instant readyAt, @Nullable Instant diedAt,
		@Nullable String consumer, @Nullable Long idleMillis, int attempts, int failures, int crashes, int defers,
		@Nullable FailureDescriptor lastFailure, Map<String, String> headers, @Nullable PayloadDescriptor payload,
		@Nullable String unreadable) implements OperationResponseBody {
}
