package io.delayqueue.lifecycle;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The status of a background activity at one moment.
 *
 * @param name the name of the activity
 * @param failures the number of consecutive failures, 0 if the last run of the activity
 * succeeded
 * @param failingFor the time since the first of the consecutive failures, 0 if the last
 * run succeeded
 * @param lastFailure the last failure, {@code null} if the last run succeeded
 */
public record TaskStatus(String name, int failures, Duration failingFor, @Nullable Throwable lastFailure) {
}
