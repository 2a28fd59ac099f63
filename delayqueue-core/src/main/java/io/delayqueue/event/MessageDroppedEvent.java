package io.delayqueue.event;

/**
 * A message was removed without being handled, to make room for a newer one: it was the
 * oldest of a group that has used up its quota, and its queue is configured with
 * {@code group.when-full: drop-oldest}.
 *
 * @param queue the queue
 * @param group the group key
 * @param id the message's id
 */
public record MessageDroppedEvent(String queue, String group, String id) implements DelayQueueEvent {
}
