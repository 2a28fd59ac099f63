package io.delayqueue.event;

/**
 * A message was removed without being handled, to make room for a newer message. Its
 * group had used up its quota, and its queue is configured with {@code drop-oldest}. Of
 * the scheduled and parked messages of the group, the removed message had the earliest
 * due time.
 *
 * @param queue the queue
 * @param group the group key
 * @param id the message's id
 */
public record MessageDroppedEvent(String queue, String group, String id) implements DelayQueueEvent {
}
