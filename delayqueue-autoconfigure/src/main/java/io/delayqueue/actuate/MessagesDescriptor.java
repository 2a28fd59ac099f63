package io.delayqueue.actuate;

import java.time.Instant;
import java.util.List;

import io.delayqueue.MessageState;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Some messages of a queue, all of one state.
 *
 * @param queue the queue's name
 * @param state the state
 * @param messages the messages, partition by partition: scheduled ones by their next
 * attempt, parked ones by group and due time, ready and pending ones in the order in
 * which they became ready, dead ones by when they were set aside
 * @param next what to ask for the next page with, as parameter {@code from}; {@code null}
 * if nothing follows. A page may have fewer messages than asked for although others
 * follow
 */
public record MessagesDescriptor(String queue, MessageState state, List<Message> messages,
		@Nullable String next) implements OperationResponseBody {

	/**
	 * A message, without what stands in it.
	 *
	 * @param id its id
	 * @param partition the number of its partition
	 * @param nextAttemptAt when a scheduled one will be handed to a listener, which is
	 * its due time unless it is retried
	 * @param dueAt when a parked one was due
	 * @param readyAt when a ready or pending one became ready
	 * @param diedAt when a dead one was set aside
	 * @param consumer who has a pending one
	 * @param idleMillis for how long that consumer has been silent about it, ms
	 * @param attempts how many deliveries have failed so far
	 * @param lastFailure why the last one failed, {@code null} if none has
	 */
	public record Message(String id, int partition, @Nullable Instant nextAttemptAt, @Nullable Instant dueAt,
			@Nullable Instant readyAt, @Nullable Instant diedAt, @Nullable String consumer, @Nullable Long idleMillis,
			int attempts, @Nullable FailureDescriptor lastFailure) {
	}

}
