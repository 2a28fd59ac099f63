package io.delayqueue.actuate;

import org.jspecify.annotations.Nullable;

/**
 * Why the last delivery of a message failed.
 *
 * @param reason the reason, as in {@link io.delayqueue.admin.DeadLetter#reason()}
 * @param exception the class of the exception, {@code null} if there was none
 * @param message the message of the exception, or a description of another reason;
 * asterisks if it is hidden
 */
public record FailureDescriptor(String reason, @Nullable String exception, String message) {
}
