package io.delayqueue.event;

import org.jspecify.annotations.Nullable;

/**
 * This process has lost its lease on a message while the handler was running: the process
 * did not renew the lease within the visibility timeout. The message whose lease was lost
 * is delivered again, and the result of its first handler does not count.
 *
 * @param queue the queue
 * @param id the message's id
 * @param group the group key, {@code null} if the message has none
 */
public record LeaseLostEvent(String queue, String id, @Nullable String group) implements DelayQueueEvent {
}
