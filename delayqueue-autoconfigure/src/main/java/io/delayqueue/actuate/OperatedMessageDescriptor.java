package io.delayqueue.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of an operation on one message.
 *
 * @param queue its queue
 * @param id its id
 * @param group its group key, {@code null} if the caller did not pass it
 * @param result {@code CANCELLED}, {@code DEAD_LETTER} (a dead letter was cancelled: it
 * is removed), {@code RESCHEDULED}, {@code REDRIVEN} or {@code DISCARDED}
 */
public record OperatedMessageDescriptor(String queue, String id, @Nullable String group,
		String result) implements OperationResponseBody {
}
