package io.delayqueue.actuate;

import java.time.Instant;
import java.util.Map;

import io.delayqueue.MessageEnd;
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
 * @param end how it has ended, {@code null} unless its state is {@code FINISHED}: a
 * finished message has only its end, group, attempts and last failure
 */
record MessageDescriptor(String queue, String id, @Nullable String group, int partition, MessageState state,
		@Nullable Instant dueAt, @Nullable Instant nextAttemptAt, @Nullable Instant readyAt, @Nullable Instant diedAt,
		@Nullable String consumer, @Nullable Long idleMillis, int attempts, int failures, int crashes, int defers,
		@Nullable Failure lastFailure, Map<String, String> headers, @Nullable Payload payload,
		@Nullable String unreadable, @Nullable MessageEnd end) implements OperationResponseBody {

	/**
	 * Why the last delivery of a message failed.
	 *
	 * @param reason the reason, as in {@link io.delayqueue.admin.DeadLetter#reason()}
	 * @param exception the class of the exception, {@code null} if there was none
	 * @param message the message of the exception, or a description of another reason;
	 * asterisks if it is hidden
	 */
	public record Failure(String reason, @Nullable String exception, String message) {
	}

	/**
	 * The payload of a message.
	 *
	 * @param size its size, bytes
	 * @param hidden why it is not shown: {@code not-allowed}, {@code masked} or
	 * {@code mask-failed}; {@code null} if it is shown
	 * @param encoding how it is shown: {@code text}, or {@code base64} if it is not
	 * well-formed UTF-8; {@code null} if it is hidden
	 * @param content the shown part of it, {@code null} if it is hidden
	 * @param truncated whether only a part of it is shown
	 */
	public record Payload(long size, @Nullable String hidden, @Nullable String encoding, @Nullable String content,
			boolean truncated) {

		static Payload hidden(long size, String why) {
			return new Payload(size, why, null, null, false);
		}

	}

}
