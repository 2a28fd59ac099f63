package io.delayqueue.event;

/**
 * The listener of a queue was resumed in one process after a pause.
 *
 * @param queue the queue, of which an application has one listener
 */
public record ListenerResumedEvent(String queue) implements DelayQueueEvent {
}
