package io.delayqueue.lifecycle;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The status of a background activity at one moment.
 *
 * @param name the name of the activity
 * @param alive whether it continues; {@code false} if it ended without being stopped
 * @param failures failures in a row, 0 if the last run succeeded
 * @param failingFor the time since the first of these failures, 0 if there is none
 * @param lastFailure the last of these failures, {@code null} if there is none
 */
public record LoopStatus(String name, boolean alive, int failures, Duration failingFor,
		@Nullable Throwable lastFailure) {
}
