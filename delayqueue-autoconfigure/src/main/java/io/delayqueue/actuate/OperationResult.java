package io.delayqueue.actuate;

import io.delayqueue.MessageKey;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of an operation on a queue or its messages. The caller receives the body;
 * the log and the observer receive the other components.
 *
 * @param body the response body
 * @param key the message that was operated on, {@code null} if the operation was not on a
 * single message
 * @param messages the number of changed messages
 * @param outcome a description of the result, {@code null} if the operation has changed
 * nothing
 */
record OperationResult(OperationResponseBody body, @Nullable MessageKey key, long messages, @Nullable String outcome) {
}
