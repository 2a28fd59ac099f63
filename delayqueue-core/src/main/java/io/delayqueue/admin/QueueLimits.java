package io.delayqueue.admin;

import io.delayqueue.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a queue, over all processes together.
 *
 * @param queue the queue
 * @param rateLimit the most messages in a time, {@code null} for any number
 * @param stored whether an operator has set the rate limit; otherwise it is that of the
 * settings of this process
 * @param maxInFlight the most messages that are pending at once, by the settings of this
 * process; 0 for any number
 */
public record QueueLimits(String queue, @Nullable RateLimit rateLimit, boolean stored, int maxInFlight) {
}
