package io.delayqueue.lifecycle;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How a background activity fares at this moment.
 *
 * @param name its name
 * @param alive whether it goes on; {@code false} if it ended though nobody stopped it
 * @param failures failures in a row, 0 if the last run was good
 * @param failingFor the time since the first one of these, 0 if there is none
 * @param lastFailure the last one of these, {@code null} if there is none
 */
public record LoopStatus(String name, boolean alive, int failures, Duration failingFor,
		@Nullable Throwable lastFailure) {
}
