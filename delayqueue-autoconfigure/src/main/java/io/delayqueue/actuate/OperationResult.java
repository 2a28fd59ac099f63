package io.delayqueue.actuate;

import io.delayqueue.MessageKey;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of an operation, for the caller, the log and the observer.
 *
 * @param body the response body
 * @param key the message that was operated, {@code null} if the operation was not on a
 * single message
 * @param messages how many messages were changed
 * @param outcome a description of the result, {@code null} if nothing was carried out
 */
record OperationResult(OperationResponseBody body, @Nullable MessageKey key, long messages, @Nullable String outcome) {
}
