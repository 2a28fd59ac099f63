package io.delayqueue.lifecycle;

import org.jspecify.annotations.Nullable;

/**
 * How a background activity fares at this moment.
 *
 * @param name its name
 * @param alive whether it goes on
 * @param failures failures in a row, 0 if the last run was good
 * @param lastFailure the last one of these, {@code null} if there is none
 */
public record LoopStatus(String name, boolean alive, int failures, @Nullable Throwable lastFailure) {
}
