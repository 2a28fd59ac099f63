package io.delayqueue.actuate;

import java.time.Instant;
import java.util.List;

import io.delayqueue.MessageState;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A page of messages of a queue that have the same state.
 *
 * @param queue the queue's name
 * @param state the state
 * @param messages the messages, by partition: scheduled messages by their next attempt,
 * parked messages by group and due time, ready and pending messages by the time at which
 * they became ready, dead messages by the time at which they were dead-lettered
 * @param next the parameter {@code from} of the next page, {@code null} after the last
 * one. A page may have fewer messages than requested although more follow
 */
public record MessagesDescriptor(String queue, MessageState state, List<Message> messages,
		@Nullable String next) implements OperationResponseBody {

	/**
	 * A message without its content.
	 *
	 * @param id its id
	 * @param partition the number of its partition
	 * @param nextAttemptAt the time of the next delivery of a scheduled message, which is
	 * its due time unless it is retried
	 * @param dueAt the due time of a parked message
	 * @param readyAt the time at which a ready or pending message became ready
	 * @param diedAt the time at which a dead message was dead-lettered
	 * @param consumer the consumer of a pending message
	 * @param idleMillis for how long that consumer has not renewed the lease, ms
	 * @param attempts how many deliveries have failed so far
	 * @param lastFailure why the last delivery failed, {@code null} if none has
	 */
	public record Message(String id, int partition, @Nullable Instant nextAttemptAt, @Nullable Instant dueAt,
			@Nullable Instant readyAt, @Nullable Instant diedAt, @Nullable String consumer, @Nullable Long idleMillis,
			int attempts, @Nullable FailureDescriptor lastFailure) {
	}

}
