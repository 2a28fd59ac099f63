package io.delayqueue.event;

import org.jspecify.annotations.Nullable;

/**
 * An operator has ended a hold before its time. Published by the process that made the
 * call.
 *
 * @param queue the queue
 * @param group the group key of the hold; {@code null} if all holds of the queue and of
 * its groups have ended
 */
public record QueueReleasedEvent(String queue, @Nullable String group) implements DelayQueueEvent {
}
