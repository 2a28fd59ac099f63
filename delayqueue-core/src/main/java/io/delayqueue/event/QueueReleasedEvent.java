package io.delayqueue.event;

import org.jspecify.annotations.Nullable;

/**
 * An operator has ended a hold before the end of its time. The process in which
 * {@link io.delayqueue.admin.DelayQueueAdmin#release} was called publishes this event.
 *
 * @param queue the queue
 * @param group the group key of the hold; {@code null} if all holds of the queue and of
 * its groups have ended
 */
public record QueueReleasedEvent(String queue, @Nullable String group) implements DelayQueueEvent {
}
