package io.delayqueue.lifecycle;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The status of a background activity at one moment.
 *
 * @param name the name of the activity
 * @param alive whether the activity continues; {@code false} if it ended without being
 * stopped
 * @param failures the number of failures in a row, 0 if the last run succeeded
 * @param failingFor the time since the first failure of that row, 0 if there is none
 * @param lastFailure the last failure of that row, {@code null} if there is none
 */
public record LoopStatus(String name, boolean alive, int failures, Duration failingFor,
		@Nullable Throwable lastFailure) {
}
