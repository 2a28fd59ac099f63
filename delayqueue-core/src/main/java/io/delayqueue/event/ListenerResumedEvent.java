package io.delayqueue.event;

/**
 * The listener of a queue was resumed in one process after a pause.
 *
 * @param queue the queue; an application has one listener for each queue
 */
public record ListenerResumedEvent(String queue) implements DelayQueueEvent {
}
