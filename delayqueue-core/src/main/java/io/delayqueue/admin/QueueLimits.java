package io.delayqueue.admin;

import io.delayqueue.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a queue, which apply to all its consumers in all processes together.
 *
 * @param queue the queue
 * @param rateLimit the most messages that are handed to handlers in a period,
 * {@code null} for no limit
 * @param stored {@code true} if an operator has set the rate limit, {@code false} if the
 * rate limit comes from the settings of this process
 * @param maxInFlight the most messages that are pending at once, by the settings of this
 * process; 0 for no limit
 */
public record QueueLimits(String queue, @Nullable RateLimit rateLimit, boolean stored, int maxInFlight) {
}
