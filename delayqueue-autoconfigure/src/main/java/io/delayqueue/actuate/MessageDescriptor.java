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
 * @param state its state
 * @param dueAt its due time, {@code null} if its record cannot be read
 * @param nextAttemptAt the time of the next delivery of a scheduled message
 * @param readyAt the time at which a ready or pending message became ready
 * @param diedAt the time at which a dead message was dead-lettered
 * @param consumer the consumer of a pending message
 * @param idleMillis for how long that consumer has not renewed the lease, ms
 * @param attempts how many deliveries have failed so far
 * @param failures how many of them ended with an exception
 * @param crashes how many of them ended because their consumer stopped renewing the lease
 * @param defers how often its handler has deferred it
 * @param lastFailure why the last delivery failed, {@code null} if none has
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
