package io.delayqueue.event;

/**
 * A message was removed without being handled, to make room for a newer message. The
 * removed message was the oldest message of a group that had used up its quota, in a
 * queue with {@code group.when-full: drop-oldest}.
 *
 * @param queue the queue
 * @param group the group key
 * @param id the message's id
 */
public record MessageDroppedEvent(String queue, String group, String id) implements DelayQueueEvent {
}
